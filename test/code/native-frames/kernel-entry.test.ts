import { expect, test } from 'vitest';
import { isIdleKernel, kernelEntry } from '../../../src/code/native-frames/kernel-entry.ts';

test.each([
  ['__x64_sys_futex', '(kernel: futex)'],
  ['__arm64_sys_epoll_pwait', '(kernel: epoll_pwait)'],
  ['ksys_write', '(kernel: write)'],
  ['do_writev', '(kernel: writev)'],
  ['__do_sys_clone', '(kernel: clone)'],
  ['vm_mmap_pgoff', '(kernel: mmap)'],
  ['asm_exc_page_fault', '(kernel: page fault)'],
  ['do_mem_abort', '(kernel: page fault)'],
  ['asm_sysvec_apic_timer_interrupt', '(kernel: interrupt)'],
  ['el0t_64_irq', '(kernel: interrupt)'],
  ['el0_svc', '(kernel: system call)'],
  ['exit_to_user_mode_loop', undefined],
  ['__x64_sys_exit_group', '(kernel: exit)'],
  ['do_group_exit', '(kernel: exit)'],
  ['kernel_wait4', '(kernel: wait4)'],
  ['ksys_mmap_pgoff', '(kernel: mmap)'],
  ['__x64_sys_newfstat', '(kernel: fstat)'],
  ['do_futex', '(kernel: futex)'],
  ['do_idle', '(kernel: idle)'],
  ['kthread', '(kernel: background thread)'],
  ['schedule', '(kernel: scheduler)'],
  ['arch_do_signal_or_restart', '(kernel: signal)'],
  ['vfs_read', undefined],
])('the kernel was entered by %s: %s', (name, label) => {
  expect(kernelEntry(name)?.label).toBe(label);
});

/** The label of a run of frames: the outermost of those with the highest rank. */
function labelOf(...names: readonly string[]): string | undefined {
  const entries = names.map(kernelEntry).filter((entry) => entry !== null);
  const rank = Math.max(...entries.map((entry) => entry.rank));
  return entries.find((entry) => entry.rank === rank)?.label;
}

test.each<[names: string[], label: string]>([
  [['entry_SYSCALL_64_after_hwframe', 'do_syscall_64', '__x64_sys_write'], '(kernel: write)'],
  [['__x64_sys_futex', 'schedule', 'asm_sysvec_apic_timer_interrupt'], '(kernel: futex)'],
  [['__x64_sys_read', 'asm_exc_page_fault'], '(kernel: read)'],
  [['do_syscall_64', 'schedule'], '(kernel: scheduler)'],
  [
    ['asm_sysvec_apic_timer_interrupt', 'irqentry_exit_to_user_mode', 'schedule'],
    '(kernel: scheduler)',
  ],
  [['do_syscall_64', 'arch_do_signal_or_restart', 'get_signal', 'do_group_exit'], '(kernel: exit)'],
  [['do_idle', 'asm_sysvec_apic_timer_interrupt'], '(kernel: interrupt)'],
  [['ret_from_fork_asm', 'ret_from_fork', 'kthread', 'schedule'], '(kernel: background thread)'],
])('a run of %s is %s', (names, label) => {
  expect(labelOf(...names)).toBe(label);
});

test.each([
  ['cpu_do_idle', '[kernel.kallsyms]', true],
  ['(kernel: idle)', '', true],
  ['poll_idle', 'app', false],
  ['schedule', '[kernel.kallsyms]', false],
])('%s of %s is code of a CPU with nothing to do: %s', (name, dso, isIdle) => {
  expect(isIdleKernel(name, dso)).toBe(isIdle);
});

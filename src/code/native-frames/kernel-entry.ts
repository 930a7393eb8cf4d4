/**
 * Why the kernel runs, from the function by which it was entered: a system call by its name, a fault,
 * an interrupt. Null for functions that do not report it. x86-64 and arm64, Linux 5.4 and later.
 */
export function kernelEntry(name: string): KernelEntry | null {
  const call = SYSTEM_CALL.exec(name)?.[1] ?? (name === 'vm_mmap_pgoff' ? 'mmap' : undefined);
  if (call !== undefined) {
    return { label: syscallLabel(call), rank: NAMED };
  }
  return ENTRIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** A system call that is known by its number. */
export function syscallLabel(call: string): string {
  return `(kernel: ${PLAIN_CALLS[call] ?? call})`;
}

/** Reads the label of `syscallLabel`; null for other labels. */
export function labelledSyscall(label: string): KernelEntry | null {
  return SYSCALL_LABEL.test(label) ? { label, rank: LAST } : null;
}

/** The idle loop, and what it halts the CPU with, by the names of Linux on x86-64 and arm64. */
const IDLE =
  /^(?:do_idle|cpu_startup_entry|start_secondary|secondary_startup_64\w*|rest_init|default_idle\w*|arch_cpu_idle|cpu_do_idle|pv_native_safe_halt|native_safe_halt|acpi_\w*idle\w*|acpi_safe_halt|cpuidle_\w+|intel_idle\w*|mwait_idle\w*|poll_idle|psci_cpu_suspend_enter)$/;
const IDLE_KIND = '(kernel: idle)';

/** Whether a function is the kernel's, of a CPU that has nothing to do; at each level of frames. */
export function isIdleKernel(name: string, dso: string): boolean {
  return name === IDLE_KIND || (dso.startsWith('[kernel') && IDLE.test(name));
}

const SYSCALL_LABEL = /^\(kernel: (?:\w+|call \d+)\)$/;

/** Calls whose function in the kernel has another name than the one that programs know. */
const PLAIN_CALLS: Readonly<Record<string, string>> = {
  exit_group: 'exit',
  mmap_pgoff: 'mmap',
  newfstat: 'fstat',
  newstat: 'stat',
  newlstat: 'lstat',
  newuname: 'uname',
};

/** The outermost of the highest rank names a run of kernel frames. */
export type KernelEntry = { readonly label: string; readonly rank: number };

/** That of kernel frames of which none tells. */
export const KERNEL: KernelEntry = { label: '(kernel)', rank: 1 };

/** Ranks, ascending: frames that name nothing, interrupts, the scheduler, named services of the kernel. */
const UNNAMED = 2;
const INTERRUPT = 3;
const SCHEDULER = 4;
const NAMED = 5;
/** Stands above the way to it: a signal, a system call. */
const LAST = 6;

/**
 * `__x64_sys_write`, `__arm64_sys_futex`; where these were inlined, the function behind: `ksys_write`,
 * `kernel_wait4`.
 */
const SYSTEM_CALL =
  /^(?:__(?:x64|ia32|arm64|se|do)_sys_|ksys_|__sys_|do_(?=p?(?:read|write)v$|futex$|epoll_(?:wait|ctl)$)|kernel_(?=wait4$|waitid$|clone$))(\w+?)(?:\.\S+)?$/;

const ENTRIES: readonly (readonly [pattern: RegExp, entry: KernelEntry])[] = [
  [/^(?:do_group_exit|do_exit)$/, { label: '(kernel: exit)', rank: LAST }],
  [/^kthread$/, { label: '(kernel: background thread)', rank: LAST }],
  [
    /^(?:(?:asm_)?exc_page_fault|do_page_fault|page_fault|do_mem_abort|el[01]t?_64_sync_da|el[01]_[di]a|do_user_addr_fault|handle_mm_fault)$/,
    { label: '(kernel: page fault)', rank: NAMED },
  ],
  [/^ret_from_fork(?:_asm)?$|^schedule_tail$/, { label: '(kernel: new thread)', rank: NAMED }],
  [
    /^(?:arch_do_signal_or_restart|do_notify_resume|get_signal|do_signal)$/,
    { label: '(kernel: signal)', rank: NAMED },
  ],
  [
    /^(?:schedule|__schedule|preempt_schedule\w*|schedule_preempt_disabled|__cond_resched)$/,
    { label: '(kernel: scheduler)', rank: SCHEDULER },
  ],
  [
    /^(?:asm_(?:sysvec_\w+|common_interrupt)|sysvec_\w+|common_interrupt|\w*apic_timer_interrupt|el[01]t?_64_irq|el[01]_irq|el[01]_interrupt|irqentry_exit_to_user_mode|irq_exit\w*)$/,
    { label: '(kernel: interrupt)', rank: INTERRUPT },
  ],
  [IDLE, { label: IDLE_KIND, rank: UNNAMED }],
  [
    /^(?:entry_SYSCALL_\w+|do_syscall_64|el0_svc\w*|invoke_syscall|el0t_64_sync\w*|syscall_\w+)$/,
    { label: '(kernel: system call)', rank: UNNAMED },
  ],
];

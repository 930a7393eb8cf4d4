/**
 * Why the kernel runs, from the function by which it was entered: a system call by its name, a fault,
 * an interrupt. Null for functions that do not tell. x86-64 and arm64, Linux 5.4 and later.
 */
export function kernelEntry(name: string): KernelEntry | null {
  const call = SYSTEM_CALL.exec(name)?.[1] ?? (name === 'vm_mmap_pgoff' ? 'mmap' : undefined);
  if (call !== undefined) return { label: `(kernel: ${call})`, rank: NAMED };
  return ENTRIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** The outermost of the highest rank names a run of kernel frames. */
export type KernelEntry = { readonly label: string; readonly rank: number };

/** That of kernel frames of which none tells. */
export const KERNEL: KernelEntry = { label: '(kernel)', rank: 1 };

const UNNAMED_CALL = 2;
const NAMED = 3;

/** `__x64_sys_write`, `__arm64_sys_futex`; where these were inlined, the function behind: `ksys_write`. */
const SYSTEM_CALL =
  /^(?:__(?:x64|ia32|arm64|se|do)_sys_|ksys_|__sys_|do_(?=p?(?:read|write)v$))(\w+?)(?:\.\S+)?$/;

const ENTRIES: readonly (readonly [pattern: RegExp, entry: KernelEntry])[] = [
  [
    /^(?:(?:asm_)?exc_page_fault|do_page_fault|page_fault|do_mem_abort|el[01]t?_64_sync_da|el[01]_[di]a|do_user_addr_fault|handle_mm_fault)$/,
    { label: '(kernel: page fault)', rank: NAMED },
  ],
  [
    /^(?:asm_(?:sysvec_\w+|common_interrupt)|sysvec_\w+|common_interrupt|\w*apic_timer_interrupt|el[01]t?_64_irq|el[01]_irq|el[01]_interrupt|irqentry_exit_to_user_mode|irq_exit\w*)$/,
    { label: '(kernel: interrupt)', rank: NAMED },
  ],
  [/^ret_from_fork(?:_asm)?$|^schedule_tail$/, { label: '(kernel: new thread)', rank: NAMED }],
  [
    /^(?:entry_SYSCALL_\w+|do_syscall_64|el0_svc\w*|invoke_syscall|el0t_64_sync\w*|syscall_\w+)$/,
    { label: '(kernel: system call)', rank: UNNAMED_CALL },
  ],
];

/** Numbers and flags of the kernel that perl has no words for unless it loads modules, which takes longer than a call. */
export interface SystemCalls {
  readonly clock_gettime: number;
  readonly prctl: number;
  readonly rt_sigprocmask: number;
  readonly signalfd4: number;
  readonly exit_group: number;
}

const genericLinux: SystemCalls = {
  clock_gettime: 113,
  prctl: 167,
  rt_sigprocmask: 135,
  signalfd4: 74,
  exit_group: 94,
};

const linux: Readonly<Record<string, SystemCalls>> = {
  arm64: genericLinux,
  riscv64: genericLinux,
  loong64: genericLinux,
  x64: { clock_gettime: 228, prctl: 157, rt_sigprocmask: 14, signalfd4: 289, exit_group: 231 },
};

/** The system calls of a machine; undefined where they are not known, and the shim does without. */
export function systemCallsOf(platform: string, architecture: string): SystemCalls | undefined {
  return platform === 'linux' ? linux[architecture] : undefined;
}

/** The flag that keeps reads and writes from waiting. */
export function nonBlockingFlag(platform: string): number {
  return platform === 'linux' ? 0x800 : 0x4;
}

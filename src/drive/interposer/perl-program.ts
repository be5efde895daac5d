/** A value that a perl program gets. */
type PerlValue = string | number | boolean | readonly PerlValue[] | { readonly [key: string]: PerlValue };

/** The program with its settings: they are written into it, because its caller may change or clear the environment. */
export function withSettings(program: string, settings: Readonly<Record<string, PerlValue>>): string {
  return program.replace('my %set = ();', () => `my %set = (${pairs(settings)});`);
}

function literal(value: PerlValue): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  return Array.isArray(value)
    ? `[${value.map(literal).join(', ')}]`
    : `{ ${pairs(value as Record<string, PerlValue>)} }`;
}

function pairs(record: Readonly<Record<string, PerlValue>>): string {
  return Object.entries(record)
    .map(([key, value]) => `${literal(key)} => ${literal(value)}`)
    .join(', ');
}

/** Numbers of the kernel that perl has no words for unless it loads modules, which takes longer than a call. */
export type SystemCalls = Readonly<
  Record<
    'clock_gettime' | 'prctl' | 'rt_sigprocmask' | 'signalfd4' | 'exit_group' | 'sendmsg' | 'recvmsg' | 'tee',
    number
  >
>;

const genericLinux: SystemCalls = {
  clock_gettime: 113,
  prctl: 167,
  rt_sigprocmask: 135,
  signalfd4: 74,
  exit_group: 94,
  sendmsg: 211,
  recvmsg: 212,
  tee: 77,
};

const linux: Readonly<Record<string, SystemCalls>> = {
  arm64: genericLinux,
  riscv64: genericLinux,
  loong64: genericLinux,
  x64: {
    clock_gettime: 228,
    prctl: 157,
    rt_sigprocmask: 14,
    signalfd4: 289,
    exit_group: 231,
    sendmsg: 46,
    recvmsg: 47,
    tee: 276,
  },
};

/** The system calls of a machine; undefined for an unsupported machine, where the programs do without them. */
export function systemCallsOf(platform: string, architecture: string): SystemCalls | undefined {
  return platform === 'linux' ? linux[architecture] : undefined;
}

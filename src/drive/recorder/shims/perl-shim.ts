import { perlMain, perlRareMain, perlStart } from './perl-main.ts';
import { perlHeldSignals, perlRareSignals, perlSignals } from './perl-signals.ts';
import { perlOpenedStreams, perlRareStreams, perlStreams } from './perl-streams.ts';
import { calledByTool, callerVariable, type Shim, type ShimSettings } from './shim.ts';
import type { RenderStub } from './stub.ts';

const envPath = '/usr/bin/env';
/** How long a call waits for a server that is stopped or overloaded, before it goes on without being recorded. */
const patienceSecs = 10;

/** Where and how perl is started, and which system calls it may use. */
export interface PerlMachine {
  /** Absolute path. */
  readonly perl: string;
  readonly firstLine: string;
  /** Undefined where the first line alone starts it. */
  readonly stub: RenderStub | undefined;
  /** Undefined for an unsupported machine: then only exactness is lost. */
  readonly systemCalls: SystemCalls | undefined;
  /** O_NONBLOCK and EAGAIN. */
  readonly nonBlockingFlag: number;
  readonly wouldBlockError: number;
  /** Whether the kernel says who is at the other end of a socket. */
  readonly isLinux: boolean;
}

/** Variables by which a caller could change how the shim itself runs, and under which names their values are kept. */
const keptVariables = { PERL5OPT: '_5', PERL_UNICODE: '_U', PERLIO: '_P', LC_ALL: '_L' };

/**
 * Starts perl without any output caused by its options or by a missing locale. Kernels read 255 bytes of it; those
 * before Linux 5.1 read 127, so the probe fails there and a plainer line is used.
 */
export function quietFirstLine(perl: string): string {
  const kept = Object.entries(keptVariables).map(([name, place]) => `${place}=\${${name}}`);
  return `#!/usr/bin/env -S ${kept.join(' ')} PERL5OPT= PERL_UNICODE=0 PERLIO= LC_ALL=C ${perl}`;
}

/** The shim that records everything, in perl without a single module, because it must start within a millisecond. */
export function perlShim(machine: PerlMachine): Shim {
  const limits = 'signals sent to the process group of the tool reach it twice, and times are file modification times';
  return {
    limits: machine.systemCalls === undefined ? limits : undefined,
    server: { perl: machine.perl, sendmsg: machine.systemCalls?.sendmsg, checksCallers: machine.isLinux },
    starter: machine.stub && ((path) => machine.stub?.(machine.perl, path) ?? Buffer.alloc(0)),
    needs: [machine.perl, envPath],
    render: (settings) =>
      [machine.firstLine, prologue(machine, settings), perlHeldSignals, perlOpenedStreams, loader, perlStart].join(
        '\n',
      ),
  };
}

/** Parsing rarely used code would take half of a short call, so each part is parsed when it is first called. */
const loader = `
my @later = (<<'END_OF_USUAL', <<'END_OF_RARE');
${perlSignals}${perlStreams}${perlMain}END_OF_USUAL
${perlRareSignals}${perlRareStreams}${perlRareMain}END_OF_RARE

sub AUTOLOAD {
  my $sub = our $AUTOLOAD;
  eval shift @later while @later && !defined &$sub;
  defined &$sub ? goto &$sub : die "$sub: $@";
}
`;

function prologue(machine: PerlMachine, settings: ShimSettings): string {
  const { start } = settings;
  const hasStub = machine.stub !== undefined;
  const socket = quoted(settings.channel);
  const interpreter = start.by === 'interpreter' ? start.interpreter : '';
  const calls = Object.entries(machine.systemCalls ?? {}).map(([name, number]) => `${name} => ${number}`);
  return String.raw`
$^W = 0;
my ($program, $name) = (${[settings.program, settings.name].map(quoted).join(', ')});
my $address = ${machine.isLinux ? `pack('S a* x', 1, ${socket})` : `pack('CC a*', 2 + length ${socket}, 1, ${socket})`};
my ($interpreter, $has_cover, $patience) = (${quoted(interpreter)}, ${start.by === 'descriptor' ? 1 : 0}, ${patienceSecs});
my %found_on_path = map { $_ => 1 } (${(hasStub ? [] : settings.paths).map(quoted).join(', ')});
my ($caller_variable, $called_by_tool) = (${quoted(callerVariable)}, ${quoted(calledByTool)});
my ($nonblock, $eagain) = (${machine.nonBlockingFlag}, ${machine.wouldBlockError});
my %call = (${calls.join(', ')});
my $linux = %call ? 1 : 0;
${machine.stub ? shownVariables : ''}
syscall($call{prctl}, 15, $name) if $linux;
my %kept = (${Object.entries(keptVariables)
    .map((pair) => pair.map(quoted).join(' => '))
    .join(', ')});
for my $variable (keys %kept) {
  my $value = delete $ENV{$kept{$variable}};
  next if !defined $value;
  if ($value eq '') {
    delete $ENV{$variable};
  } else {
    $ENV{$variable} = $value;
  }
}
for my $argument (@ARGV) {
  utf8::encode($argument) if utf8::is_utf8($argument);
}
my (@streams, @fillers, @inherited, $line, $real, $began, $took, $waited);
my @leading = $0 eq ${quoted(settings.path)} ? splice(@ARGV, 0, ${wordsBefore(start, hasStub)}) : ($0);
shift @leading if ${hasStub && interpreter !== '' ? 1 : 0};
my $called = !@leading || $found_on_path{$leading[0]} ? $name : $leading[0];
my @standard = (\*STDIN, \*STDOUT, \*STDERR);
my $has_terminal = -t STDIN;
my $own_file = join ':', (stat $0)[0, 1];
my @closed = map { my @stat = stat $_; !@stat || "$stat[0]:$stat[1]" eq $own_file } @standard;
`;
}

/** Gives the variables back that the stub has hidden from perl. */
const shownVariables = String.raw`
for my $hidden (grep { /^\x01/ } keys %ENV) {
  my $variable = ($hidden =~ /^.ERL/ ? 'P' : 'L') . substr($hidden, 1);
  $ENV{$variable} = delete $ENV{$hidden};
}`;

/** How many words the kernel and the stub put before the arguments of the tool when they start the shim for a file. */
export function wordsBefore(start: ShimSettings['start'], hasStub: boolean): number {
  if (start.by !== 'interpreter') return 1;
  return (start.hasArgument ? 2 : 1) + (hasStub ? 1 : 0);
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Numbers and flags of the kernel that perl has no words for unless it loads modules, which takes longer than a call. */
export interface SystemCalls {
  readonly clock_gettime: number;
  readonly prctl: number;
  readonly rt_sigprocmask: number;
  readonly signalfd4: number;
  readonly exit_group: number;
  readonly sendmsg: number;
  readonly recvmsg: number;
  readonly tee: number;
}

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

/** The system calls of a machine; undefined for an unsupported machine, where the shim does without them. */
export function systemCallsOf(platform: string, architecture: string): SystemCalls | undefined {
  return platform === 'linux' ? linux[architecture] : undefined;
}

/** The flag that keeps reads and writes from waiting. */
export function nonBlockingFlag(platform: string): number {
  return platform === 'linux' ? 0x800 : 0x4;
}

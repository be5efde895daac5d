import { type SystemCalls, withSettings } from './perl-program.ts';
import program from './recorder.pl?raw';
import rarePart from './recorder-rare.pl?raw';
import runningPart from './recorder-running.pl?raw';
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

/** The shim that records everything. */
export function perlShim(machine: PerlMachine): Shim {
  const limits = 'signals sent to the process group of the tool reach it twice, and times are file modification times';
  return {
    limits: machine.systemCalls === undefined ? limits : undefined,
    server: { perl: machine.perl, sendmsg: machine.systemCalls?.sendmsg, checksCallers: machine.isLinux },
    starter: machine.stub && ((path) => machine.stub?.(machine.perl, path) ?? Buffer.alloc(0)),
    needs: [machine.perl, envPath],
    render: (settings) => `${machine.firstLine}\n${withSettings(recorder, perlSettings(machine, settings))}`,
  };
}

/** The recorder with its late parts as texts, which it parses when they are first needed. */
const recorder = program.replace(
  'my @later = ();',
  () => `my @later = (<<'END_OF_RUNNING', <<'END_OF_RARE');\n${runningPart}END_OF_RUNNING\n${rarePart}END_OF_RARE`,
);

function perlSettings(machine: PerlMachine, { start, ...settings }: ShimSettings) {
  const hasStub = machine.stub !== undefined;
  const interpreter = start.by === 'interpreter' ? start.interpreter : '';
  return {
    path: settings.path,
    program: settings.program,
    name: settings.name,
    socket: settings.channel,
    interpreter,
    has_cover: start.by === 'descriptor',
    patience: patienceSecs,
    found_on_path: hasStub ? [] : settings.paths,
    caller_variable: callerVariable,
    called_by_tool: calledByTool,
    nonblock: machine.nonBlockingFlag,
    eagain: machine.wouldBlockError,
    calls: machine.systemCalls ?? {},
    kept: keptVariables,
    words_before: wordsBefore(start, hasStub),
    has_starter_word: hasStub && interpreter !== '',
  };
}

/** How many words the kernel and the stub put before the arguments of the tool when they start the shim for a file. */
export function wordsBefore(start: ShimSettings['start'], hasStub: boolean): number {
  if (start.by !== 'interpreter') return 1;
  return (start.hasArgument ? 2 : 1) + (hasStub ? 1 : 0);
}

/** The flag that keeps reads and writes from waiting. */
export function nonBlockingFlag(platform: string): number {
  return platform === 'linux' ? 0x800 : 0x4;
}

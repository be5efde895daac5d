import { AssayError } from '../../../domain/errors.ts';
import type { CliMock, PlacedCliMock } from '../../../domain/tool-control/cli-mocks.ts';
import { unmatchedText } from '../../../domain/tool-control/mocks.ts';
import { fillTemplates, type TemplateValues, templatesIn } from '../../../shared/templates.ts';
import { cutMiddle } from '../../../shared/text.ts';
import type { ControlRule, NumberedCall, Ruling } from '../control.ts';
import { type ProgramSimulator, withoutRun } from '../simulator.ts';
import { cliArgumentsOf, startsWith } from './cli-call.ts';
import { type CliReply, cliAnswer, type LeftFile } from './cli-reply.ts';

const longestArguments = 200;
/** Of a call that no mock matches, as of a command that a shell cannot run. */
const unmatchedExitCode = 126;

/** Answers calls of mocked programs. */
export class CliMockRule implements ControlRule<CliReply> {
  readonly #mocks = new Map<string, PlacedCliMock[]>();

  readonly #simulator: ProgramSimulator | undefined;

  constructor(mocks: readonly PlacedCliMock[], simulator: ProgramSimulator | undefined) {
    this.#simulator = simulator;
    for (const placed of mocks) this.#mocks.set(placed.tool, [...(this.#mocks.get(placed.tool) ?? []), placed]);
  }

  /** Whether an answer depends on the standard input; without need it is left to the next reader. */
  needsStdin(tool: string, argv: readonly string[]): boolean {
    const mocks = this.#mocks.get(tool) ?? [];
    return mocks.some(
      ({ mock }) =>
        hasArguments(mock, argv) &&
        (mock.when?.stdin !== undefined || mock.simulate?.stdin === true || usesStdin(mock)),
    );
  }

  decide(call: NumberedCall): Ruling<CliReply> | undefined {
    const mocks = this.#mocks.get(call.tool);
    const [first] = mocks ?? [];
    if (!mocks || !first) return undefined;
    const { argv, stdin } = cliArgumentsOf(call);
    const matching = mocks.find(({ mock }) => isFor(mock, call.number, argv, stdin));
    if (!matching) return unmatched(call.tool, argv, stdin, first.place);
    const { mock, place: rule } = matching;
    const delayMs = mock.delay ?? 0;
    if (mock.real) return delayMs === 0 ? undefined : { kind: 'mock', rule, what: `delayed by ${delayMs} ms`, delayMs };
    if (mock.simulate) return { rule, delayMs, ...this.#simulated(call, rule) };
    const missing = missingValue(mock, valuesOf(call));
    if (missing === undefined) {
      const { exitCode = 0 } = mock;
      return { kind: 'mock', rule, what: `answered with exit code ${exitCode}`, delayMs, reply: answerOf(mock, call) };
    }
    const what = `uses ${missing}, which the call does not have`;
    const fault = new AssayError('MOCK_UNUSABLE', `The mock at ${rule} ${what}.`);
    return { kind: 'mock', rule, what, reply: { kind: 'fault', fault } };
  }

  #simulated(call: NumberedCall, rule: string): Pick<Ruling<CliReply>, 'kind' | 'what' | 'reply' | 'play'> {
    const simulator = this.#simulator;
    const failed = (why: string): CliReply => ({ kind: 'fault', fault: new AssayError('MOCK_UNUSABLE', why) });
    if (!simulator) return { kind: 'mock', what: withoutRun, reply: failed(`The program at ${rule} ${withoutRun}.`) };
    const { tool, number } = call;
    const { argv, stdin } = cliArgumentsOf(call);
    const input = { arguments: argv, ...(stdin !== undefined && { stdin }) };
    const play: Ruling<CliReply>['play'] = async (_definition, signal) => {
      const answer = await simulator.answer({ tool, number, place: rule, input }, signal);
      if (answer.kind === 'failed') return failed(answer.why);
      const { stdout, stderr, exitCode, files } = answer;
      return cliAnswer({ stdout: bytesOf(stdout), stderr: bytesOf(stderr), exitCode, files: leftFiles(files) });
    };
    return { kind: 'simulate', what: 'is answered by a model', play };
  }
}

function leftFiles(files: Readonly<Record<string, string | null>>): Readonly<Record<string, LeftFile>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]): [string, LeftFile] => [
      path,
      content === null ? { is: 'removed' } : { is: 'file', content: bytesOf(content) },
    ]),
  );
}

function unmatched(tool: string, argv: readonly string[], stdin: string | undefined, rule: string): Ruling<CliReply> {
  const input = stdin === undefined ? '' : ` with the input ${cutMiddle(JSON.stringify(stdin), longestArguments)}`;
  const written = `${cutMiddle(JSON.stringify(argv), longestArguments)}${input}`;
  const stderr = Buffer.from(`${tool}: no mock of this program matches these arguments: ${written}\n`);
  const what = `${unmatchedText} ${written}`;
  return { kind: 'mock', rule, what, reply: cliAnswer({ stderr, exitCode: unmatchedExitCode }) };
}

function isFor(mock: CliMock, number: number, argv: readonly string[], stdin: string | undefined): boolean {
  const { when } = mock;
  if (when?.call !== undefined && when.call !== number) return false;
  if (when?.stdin !== undefined && !stdin?.includes(when.stdin)) return false;
  return hasArguments(mock, argv);
}

function hasArguments({ when }: CliMock, argv: readonly string[]): boolean {
  const { args, exact } = when ?? {};
  if (args === undefined) return true;
  return startsWith(argv, args) && !(exact && args.length < argv.length);
}

function usesStdin(mock: CliMock): boolean {
  return templatesIn(textsOf(mock), []).some(({ name }) => name === 'stdin');
}

function textsOf({ stdout, stderr, files }: CliMock) {
  return { stdout, stderr, files: Object.entries(files ?? {}) };
}

function valuesOf(call: NumberedCall): TemplateValues {
  const { argv, stdin } = cliArgumentsOf(call);
  const parts = argv.map((argument, index) => [`args.${index}`, argument]);
  return {
    call: call.number,
    args: argv.join(' '),
    ...Object.fromEntries(parts),
    ...(stdin !== undefined && { stdin }),
  };
}

function missingValue(mock: CliMock, values: TemplateValues): string | undefined {
  const templates = templatesIn(textsOf(mock), []);
  return templates.find(({ name }) => name === undefined || !Object.hasOwn(values, name))?.written;
}

function answerOf(mock: CliMock, call: NumberedCall): CliReply {
  const values = valuesOf(call);
  const { stdout, stderr, files } = fillTemplates(textsOf(mock), values) as ReturnType<typeof textsOf>;
  return cliAnswer({
    stdout: bytesOf(stdout),
    stderr: bytesOf(stderr),
    exitCode: mock.exitCode ?? 0,
    files: leftFiles(Object.fromEntries(files)),
  });
}

/** Texts as they are, data as JSON. */
function bytesOf(written: unknown): Buffer {
  if (written === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof written === 'object' ? `${JSON.stringify(written)}\n` : String(written));
}

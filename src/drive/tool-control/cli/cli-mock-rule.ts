import { AssayError } from '../../../domain/errors.ts';
import type { CliMock, PlacedCliMock } from '../../../domain/tool-control/cli-mocks.ts';
import { unmatchedText } from '../../../domain/tool-control/mocks.ts';
import { fillTemplates, type TemplateValues, templatesIn } from '../../../shared/templates.ts';
import { cutMiddle } from '../../../shared/text.ts';
import type { ControlRule, NumberedCall, Ruling } from '../control.ts';
import { cliArgumentsOf, startsWith } from './cli-call.ts';
import { type CliReply, cliAnswer, type LeftFile } from './cli-reply.ts';

const longestArguments = 200;
/** Of a call that no mock matches, as of a command that a shell cannot run. */
const unmatchedExitCode = 126;

/** Answers calls of mocked programs. */
export class CliMockRule implements ControlRule<CliReply> {
  readonly #mocks = new Map<string, PlacedCliMock[]>();

  constructor(mocks: readonly PlacedCliMock[]) {
    for (const placed of mocks) this.#mocks.set(placed.tool, [...(this.#mocks.get(placed.tool) ?? []), placed]);
  }

  /** Whether an answer depends on the standard input; without need it is left to the next reader. */
  needsStdin(tool: string, argv: readonly string[]): boolean {
    const mocks = this.#mocks.get(tool) ?? [];
    return mocks.some(({ mock }) => hasArguments(mock, argv) && (mock.when?.stdin !== undefined || usesStdin(mock)));
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
    const missing = missingValue(mock, valuesOf(call));
    if (missing === undefined) {
      const { exitCode = 0 } = mock;
      return { kind: 'mock', rule, what: `answered with exit code ${exitCode}`, delayMs, reply: answerOf(mock, call) };
    }
    const what = `uses ${missing}, which the call does not have`;
    const fault = new AssayError('MOCK_UNUSABLE', `The mock at ${rule} ${what}.`);
    return { kind: 'mock', rule, what, reply: { kind: 'fault', fault } };
  }
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
  const written = files.map(([path, content]): [string, LeftFile] => [
    path,
    content === null ? { is: 'removed' } : { is: 'file', content: bytesOf(content) },
  ]);
  return cliAnswer({
    stdout: bytesOf(stdout),
    stderr: bytesOf(stderr),
    exitCode: mock.exitCode ?? 0,
    files: Object.fromEntries(written),
  });
}

/** Texts as they are, data as JSON. */
function bytesOf(written: unknown): Buffer {
  if (written === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof written === 'object' ? `${JSON.stringify(written)}\n` : String(written));
}

import { AssayError } from '../../../../domain/errors.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { whyUnknown } from '../../../../domain/tools/known-tools.ts';
import { meaningOfResult } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import { compileJsonSchema, type JsonSchema, UnusableSchema } from '../../../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../../../shared/json-schema/walk.ts';
import { UnusablePattern } from '../../../../shared/patterns.ts';
import { shortened } from '../../excerpt.ts';
import { judgeCancellation, judgeMessages } from './call-messages.ts';
import type { ObservedTest } from './observed-tests.ts';
import { judgeReply, judgeResult } from './reply-checks.ts';
import { fail, type Judged, jsonText, timeOf } from './test-verdict.ts';

/** Judges one call of a tool: how long it took first, then what came of it, then what the tool promises. */
export function judgeTool(
  observed: ObservedTest<SuiteTestOf<'tool'>>,
  server: { readonly outputs: OutputSchemas; readonly toolNames: readonly string[] },
): Judged {
  const judged = judgeCall(observed, server.outputs);
  const { subject } = observed.test;
  if (server.toolNames.includes(subject)) return judged;
  // A server may answer to names that it does not list, and refuse others as a test wants.
  refuseUnknown(subject, server.toolNames, judged.state === 'fail');
  return { ...judged, details: `${judged.details}. The server does not list "${subject}".` };
}

/** A test of a tool that does not exist says nothing about the tool that was meant. */
function refuseUnknown(name: string, listed: readonly string[], isComplete: boolean): void {
  const why = whyUnknown(name, { tools: listed.map((tool) => ({ tool })), isComplete });
  if (why) throw new AssayError('CRITERION_UNUSABLE', why.message, { hint: why.hint });
}

function judgeCall(observed: ObservedTest<SuiteTestOf<'tool'>>, outputs: OutputSchemas): Judged {
  const { test, ended, answer } = observed;
  const { spec } = test;
  const meaning = meaningOfResult(answer?.result);
  const output = !answer || answer.error ? undefined : outputs.check(spec.name, answer.result);
  const summary = spec.expectedResult === undefined ? 'The call succeeded' : 'Answered as expected';
  const remark = output?.remark === undefined ? '' : `; ${output.remark}`;
  return (
    judgeCancellation(observed) ??
    judgeReply(spec, answer, ended, {
      value: meaning,
      check: () => judgeResult(spec, answer?.result, ended),
      promises: () =>
        judgeMessages(observed) ??
        (output?.problem === undefined ? undefined : fail(`${output.problem} (${timeOf(ended)})`)),
      summary: `${summary} in ${timeOf(ended)}: ${jsonText(meaning)}${remark}`,
    })
  );
}

/** Check of a result against its output schema: the problem, or why the check was impossible. */
interface OutputCheck {
  readonly problem?: string;
  readonly remark?: string;
}

const mostShown = 3;

/** Output schemas of the tools of a server; each is compiled once. */
export class OutputSchemas {
  readonly #tools: ReadonlyMap<string, TraceEventOf<'mcp-server'>['tools'][number]>;
  readonly #ready = new Map<string, JsonSchema | string | undefined>();

  constructor(tools: TraceEventOf<'mcp-server'>['tools']) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Undefined where the tool promises nothing, or keeps its promise. */
  check(tool: string, result: unknown): OutputCheck | undefined {
    const schema = this.#schemaOf(tool);
    if (schema === undefined) return undefined;
    const content = isRecord(result) ? result.structuredContent : undefined;
    if (content === undefined) {
      return { problem: 'The tool declares an `outputSchema`, and the result has no structuredContent' };
    }
    if (typeof schema === 'string') return unchecked(schema);
    try {
      const problems = schema.problemsIn(content);
      if (problems.length === 0) return undefined;
      const more = problems.length > mostShown ? '; and more' : '';
      const listed = problems.slice(0, mostShown).map(shortened).join('; ');
      return { problem: `The structuredContent is not valid against the tool's \`outputSchema\`: ${listed}${more}` };
    } catch (error) {
      return unchecked(reasonOf(error));
    }
  }

  /** The schema; a text for one that cannot be used. */
  #schemaOf(tool: string): JsonSchema | string | undefined {
    if (this.#ready.has(tool)) return this.#ready.get(tool);
    const written = this.#tools.get(tool)?.outputSchema;
    const ready = written === undefined ? undefined : readied(written);
    this.#ready.set(tool, ready);
    return ready;
  }
}

function readied(schema: unknown): JsonSchema | string {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnusableSchema || error instanceof TooMuchWork || error instanceof UnusablePattern) {
    return error.message;
  }
  throw error;
}

/** A schema that cannot be used says nothing about a result. */
function unchecked(reason: string): OutputCheck {
  return { remark: `its \`outputSchema\` cannot be checked: ${shortened(reason)}` };
}

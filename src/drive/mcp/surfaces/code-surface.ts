import { isRecord, parseJson } from '../../../shared/json.ts';
import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import { type CallOutcome, limitedText, serverCall } from './call-tool.ts';
import type { MakeServerCall, OwnOutcome, Surface, SurfaceCall } from './make-surface.ts';
import type { OfferedTools } from './offered-tools.ts';
import { type ProgramAnswer, type ProgramOutcome, runProgram } from './program/run-program.ts';

const programTool = 'run_program';

/** One tool that runs a small program, which calls the others. */
export class CodeSurface implements Surface {
  readonly forModel: readonly ModelTool[];
  readonly #offered: OfferedTools;

  constructor(offered: OfferedTools) {
    this.#offered = offered;
    this.forModel = [programDefinition(offered.forModel)];
  }

  get renamed(): readonly string[] {
    return this.#offered.renamed;
  }

  read(call: ModelToolCall): SurfaceCall {
    const { tool, input } = call;
    if (tool !== programTool) return { kind: 'server', call: serverCall(call, this.#offered) };
    const code = isRecord(input) && typeof input.code === 'string' ? input.code : undefined;
    return { kind: 'program', run: (makeCall, signal) => this.#run(code, makeCall, signal) };
  }

  async #run(code: string | undefined, makeCall: MakeServerCall, signal: AbortSignal): Promise<OwnOutcome> {
    if (code === undefined) return { text: 'Error: `code` must be a text.', error: '`code` must be a text.' };
    const callTool = async (tool: string, input: unknown): Promise<ProgramAnswer> =>
      answerOf(await makeCall(serverCall({ callId: '', tool, input }, this.#offered)));
    const outcome = await runProgram({ code, callTool, signal });
    return { text: outcomeText(outcome), error: outcome.error };
  }
}

function programDefinition(tools: readonly ModelTool[]): ModelTool {
  const listed = tools.map(({ name, description, inputSchema }) => {
    return `tools[${JSON.stringify(name)}](${JSON.stringify(inputSchema)})\n  ${description}`;
  });
  return {
    name: programTool,
    description: [
      'Runs a JavaScript program and returns its result. The program is the body of an async function; `return` gives its result, and console.log prints.',
      'It can call the tools below: each takes one object, whose JSON Schema stands in parentheses, and returns a promise of its structured content, of its JSON, or of its text; a tool that fails throws an Error. There are no files, no network, no timers and no imports.',
      'Example: const sum = await tools["name"]({ a: 1 }); return sum;',
      ...listed,
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: 'the program' } },
      required: ['code'],
    },
  };
}

/** Structured content as it is, text that is an object or a list as data, any other text as text. */
function answerOf({ result, error, text }: CallOutcome): ProgramAnswer {
  if (error) return { error: error.message };
  if (isRecord(result) && result.structuredContent !== undefined) return { value: result.structuredContent };
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return { value: parsed ?? text };
}

function outcomeText({ lines, value, error }: ProgramOutcome): string {
  const result = error === undefined ? (JSON.stringify(value) ?? 'null') : `Error: ${error}`;
  return limitedText([...lines, result].join('\n'));
}

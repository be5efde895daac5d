import { text as readAll } from 'node:stream/consumers';
import { judgeProtocol } from '../../criteria/index.ts';
import type { FilePosition } from '../../domain/errors.ts';
import { type JudgeInput, judgeInputSchema } from '../../domain/judge-protocol.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { renderProtocolPrompt } from '../../judge/protocol-prompt.ts';
import { parseJsonSource } from '../../scenarios/json-source.ts';
import type { ParsedSource } from '../../scenarios/parsed-source.ts';
import { problemsOf } from '../../scenarios/schema-problems.ts';
import { readText } from '../../scenarios/source-file.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';

/** What a file held, and in which shape the answer goes out. */
interface JudgeBatch {
  readonly shape: 'one' | 'array' | 'lines';
  readonly inputs: readonly JudgeInput[];
}

/** `assay judge`: the boolean judge protocol, input to output. */
export const judge: CliCommand = {
  configure(command) {
    command
      .argument('<files...>', 'judge inputs: a JSON object, a JSON array, or JSON Lines; - reads stdin')
      .option('--prompt', 'print the prompt that asks a model instead')
      .addHelpText(
        'after',
        '\nExit codes: 0 every verdict is PASS, 1 a verdict is FAIL, 2 an input or a criterion is unusable.\n',
      );
  },
  async run({ args, options, context }) {
    const batches: JudgeBatch[] = [];
    for (const file of args) batches.push(await readBatch(file, context));
    const inputs = batches.flatMap((batch) => batch.inputs);
    if (options.prompt) {
      await write(context.stdout, `${inputs.map(renderProtocolPrompt).join('\n\n---\n\n')}\n`);
      return 0;
    }
    const shape = batches.length === 1 ? (batches[0]?.shape ?? 'one') : 'array';
    const judged = inputs.map(judgeProtocol);
    await write(
      context.stdout,
      outputText(
        judged.map(({ output }) => output),
        shape,
      ),
    );
    const unusable = judged.flatMap((result) => result.unusable);
    for (const defect of unusable) {
      const hint = defect.hint ? `\n  ${defect.hint}` : '';
      await write(
        context.stderr,
        `error: unusable criterion \`${defect.criterion}\`, column ${defect.column}: ${defect.message}${hint}\n`,
      );
    }
    if (unusable.length > 0) return 2;
    return judged.every(({ output }) => output.verdict === 'PASS') ? 0 : 1;
  },
};

function outputText(outputs: readonly unknown[], shape: JudgeBatch['shape']): string {
  if (shape === 'lines') return outputs.map((output) => `${JSON.stringify(output)}\n`).join('');
  return `${JSON.stringify(shape === 'one' ? outputs[0] : outputs, null, 2)}\n`;
}

async function readBatch(file: string, context: CliContext): Promise<JudgeBatch> {
  const name = file === '-' ? '<stdin>' : file;
  const text = file === '-' ? await readAll(context.stdin) : await readText(file, context.cwd);
  if (isJsonLines(name, text)) return { shape: 'lines', inputs: readLines(name, text) };
  const source = parseJsonSource(name, text);
  if (!Array.isArray(source.value)) return { shape: 'one', inputs: [checked(source.value, source, [])] };
  return { shape: 'array', inputs: source.value.map((value: unknown, index) => checked(value, source, [index])) };
}

/** By name, or because the text is several JSON values below each other. */
function isJsonLines(name: string, text: string): boolean {
  if (/\.(jsonl|ndjson)$/.test(name)) return true;
  const [first = '', second = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return isJson(first) && isJson(second);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLines(name: string, text: string): JudgeInput[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      const source = parseJsonSource(name, line);
      return [checked(source.value, source, [])];
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      throw new ProblemsError(error.problems.map((problem) => ({ ...problem, at: onLine(problem.at, index + 1) })));
    }
  });
}

function onLine(at: FilePosition, line: number): FilePosition {
  return { ...at, line };
}

function checked(value: unknown, source: ParsedSource, path: readonly PropertyKey[]): JudgeInput {
  const parsed = judgeInputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf(parsed.error, source, judgeInputSchema, path));
}

import { openProject } from '../../../../compose/config/project.ts';
import type { JudgeOptions } from '../../../../compose/judge/judging.ts';
import type { JudgeOutput } from '../../../../domain/judge-protocol.ts';
import type { JudgeResult } from '../../../../domain/judge-result.ts';
import { formatProblem, type Problem } from '../../../../domain/problem.ts';
import { type CriterionDefect, judgeProtocol } from '../../../../score/criteria/index.ts';
import { renderProtocolPrompt } from '../../../../score/judge/protocol-prompt.ts';
import type { CliCommand } from '../../command.ts';
import { type CliContext, write } from '../../context.ts';
import { addRunOptions } from '../../options/run-options.ts';
import { type JudgeBatch, type LocatedInput, readJudgeInputs } from './input-files.ts';

/** `assay score judge`: the boolean judge protocol, input to output. */
export const judge: CliCommand = {
  configure(command) {
    command
      .argument('<files...>', 'judge inputs: a JSON object, a JSON array, or JSON Lines; - reads stdin')
      .option('--prompt', 'print the prompt for a model instead of judging')
      .option('--llm, --llm-judge', 'also judge with a model, and list where it disagrees with the computed verdict');
    addRunOptions(command, 'score judge');
    command.addHelpText(
      'after',
      '\nExit codes: 0 every verdict is PASS, 1 a verdict is FAIL, 2 an input or a criterion is unusable,\n3 with --llm, a model could not answer.\n',
    );
  },
  async run({ args, options, context }) {
    const batches = await readJudgeInputs(args, context);
    const located = batches.flatMap((batch) => batch.inputs);
    if (options.prompt) {
      await write(context.stdout, `${located.map(({ input }) => renderProtocolPrompt(input)).join('\n\n---\n\n')}\n`);
      return 0;
    }
    const shape = batches.length === 1 ? (batches[0]?.shape ?? 'one') : 'array';
    const judged = located.map((item) => ({ item, ...judgeProtocol(item.input) }));
    const answers = usesModel(options) ? await promptModel(located, options, context) : [];
    const outputs = judged.map(({ output }, index) => withAnswer(output, answers[index]));
    await write(context.stdout, outputText(outputs, shape));
    const problems = judged.flatMap(({ item, unusable }) => unusable.map((defect) => problemOf(defect, item)));
    for (const problem of problems) await write(context.stderr, `${formatProblem(problem)}\n`);
    if (problems.length > 0) return 2;
    if (judged.some(({ output }) => output.verdict === 'FAIL')) return 1;
    return answers.every(({ state }) => state === 'pass') ? 0 : 3;
  },
};

function usesModel(options: Readonly<Record<string, unknown>>): boolean {
  return options.llmJudge === true;
}

async function promptModel(
  located: readonly LocatedInput[],
  options: JudgeOptions,
  context: CliContext,
): Promise<JudgeResult[]> {
  const project = await openProject(context.cwd, context.env);
  const { promptProtocol } = await import('./prompt-model.ts');
  const inputs = located.map(({ input }) => input);
  return promptProtocol(inputs, options, project, context);
}

/** The computed output of the protocol, with the model's answer beside it. */
function withAnswer(output: JudgeOutput, answer: JudgeResult | undefined): unknown {
  if (!answer) return output;
  const { state, model, reason, response } = answer;
  const { output: answered, disagreements } = (response ?? {}) as Readonly<Record<string, unknown>>;
  return { ...output, model: { state, model, reason, output: answered ?? null, disagreements: disagreements ?? [] } };
}

function outputText(outputs: readonly unknown[], shape: JudgeBatch['shape']): string {
  if (shape === 'lines') return outputs.map((output) => `${JSON.stringify(output)}\n`).join('');
  return `${JSON.stringify(shape === 'one' ? outputs[0] : outputs, null, 2)}\n`;
}

function problemOf(
  { criterion, message, column, hint }: CriterionDefect,
  { input, source, path }: LocatedInput,
): Problem {
  const list = input.passCriteria.includes(criterion) ? 'passCriteria' : 'failCriteria';
  const at = source.locateInString([...path, list, input[list].indexOf(criterion)], column);
  return { at, message: `unusable criterion \`${criterion}\`: ${message}`, hint };
}

import { type CriterionDefect, judgeProtocol } from '../../criteria/index.ts';
import { formatProblem, type Problem } from '../../domain/problem.ts';
import { renderProtocolPrompt } from '../../judge/protocol-prompt.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { type JudgeBatch, type LocatedInput, readJudgeInputs } from '../judge-input-files.ts';

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
    const batches = await readJudgeInputs(args, context);
    const located = batches.flatMap((batch) => batch.inputs);
    if (options.prompt) {
      await write(context.stdout, `${located.map(({ input }) => renderProtocolPrompt(input)).join('\n\n---\n\n')}\n`);
      return 0;
    }
    const shape = batches.length === 1 ? (batches[0]?.shape ?? 'one') : 'array';
    const judged = located.map((item) => ({ item, ...judgeProtocol(item.input) }));
    await write(
      context.stdout,
      outputText(
        judged.map(({ output }) => output),
        shape,
      ),
    );
    const problems = judged.flatMap(({ item, unusable }) => unusable.map((defect) => problemOf(defect, item)));
    for (const problem of problems) await write(context.stderr, `${formatProblem(problem)}\n`);
    if (problems.length > 0) return 2;
    return judged.every(({ output }) => output.verdict === 'PASS') ? 0 : 1;
  },
};

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

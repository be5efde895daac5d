import * as z from 'zod';
import { openProject } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay list evaluators`: the assertions and metrics that scenarios may use. */
export const evaluators: CliCommand = {
  configure(command) {
    command.argument('[type]', 'show the config schema of this evaluator').option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    const { parts } = await openProject(context.cwd, context.env);
    const all = parts.evaluators.map(({ type, label, kind, summary, needs, configSchema, example }) => ({
      type,
      label,
      kind,
      summary,
      needs,
      configSchema: z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }),
      ...(example !== undefined && { example }),
    }));
    const wanted = args[0];
    const chosen = wanted === undefined ? all : all.filter((evaluator) => evaluator.type === wanted);
    if (wanted !== undefined && chosen.length === 0) {
      throw new AssayError('NOT_FOUND', `There is no evaluator "${wanted}".`, {
        hint: suggestion(
          wanted,
          all.map(({ type }) => type),
        ),
      });
    }
    if (options.json || wanted !== undefined) {
      await write(context.stdout, `${JSON.stringify(wanted === undefined ? all : chosen[0], null, 2)}\n`);
      return 0;
    }
    const section = (title: string, kind: string): string =>
      `${title}\n${all
        .filter((evaluator) => evaluator.kind === kind)
        .map(({ type, summary }) => `  ${type.padEnd(24)}${summary}\n`)
        .join('')}`;
    await write(
      context.stdout,
      `${section('Assertions (can fail a trial)', 'assertion')}\n${section('Metrics (never do)', 'metric')}\nConfig of one: assay list evaluators <type>\n`,
    );
    return 0;
  },
};

import { once } from 'node:events';
import type * as z from 'zod';
import { ProblemsError } from '../../domain/problem.ts';
import { type LoggedRequest, type Script, scriptSchema, startScriptedModel } from '../../models/scripted/index.ts';
import { problemsOf } from '../../scenarios/schema-problems.ts';
import { readSource } from '../../scenarios/source-file.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { Interrupt } from '../interrupt.ts';
import { integerOption } from '../option-values.ts';

/** `assay fake-model`: a model that says what a script tells it to say. */
export const fakeModel: CliCommand = {
  configure(command) {
    command
      .argument('<script>', 'YAML or JSON file with the rules')
      .option('--port <n>', 'port on the loopback address; a free one unless given', integerOption(0, 65_535))
      .option('--verbose', 'tell every request on stderr')
      .addHelpText(
        'after',
        '\nPrints its URL when it is ready, and runs until it is told to end (Ctrl-C): exit code 0.\n',
      );
  },
  async run({ args: [file = ''], options, context }) {
    const script = await readScript(file, context);
    using interrupt = new Interrupt(() => undefined);
    await using model = await startScriptedModel(script, {
      port: options.port as number | undefined,
      onRequest: (request) => {
        if (options.verbose || request.refusal !== null) context.stderr.write(`${requestText(request)}\n`);
      },
    });
    await write(context.stderr, settingsText(model.environment, script));
    await write(context.stdout, `${model.url}\n`);
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    return 0;
  },
};

async function readScript(file: string, { cwd }: CliContext): Promise<Script> {
  const source = await readSource(file, cwd);
  const parsed = scriptSchema.safeParse(source.value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf({ issues: parsed.error.issues.flatMap(meantIssues) }, source, scriptSchema));
}

/** Of a choice between a word and an object, only what is wrong with the one that was written. */
function meantIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const asObject = issue.errors.find((issues) => issues.every(({ path, code }) => path.length > 0 || !isKind(code)));
  const asWord = issue.errors.find((issues) => issues.some(({ code }) => code === 'invalid_value'));
  const meant = asObject ?? asWord;
  return meant ? meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) : [issue];
}

function isKind(code: z.core.$ZodIssue['code']): boolean {
  return code === 'invalid_type' || code === 'invalid_value';
}

function settingsText(environment: Readonly<Record<string, string>>, { apiKey }: Script): string {
  const key = apiKey === undefined ? 'any API key' : 'the API key of the script';
  const lines = Object.entries(environment).map(([name, value]) => `  ${name}=${value}\n`);
  return `Set these and ${key} in the environment of whoever is to ask this model:\n${lines.join('')}`;
}

function requestText({ number, path, conversation, rule, refusal }: LoggedRequest): string {
  if (refusal !== null) return `${number} ${path}: ${refusal}`;
  return `${number} ${path}, model ${conversation?.model}, turn ${conversation?.turn}: rule ${rule}`;
}

import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

interface ActionStep {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly 'working-directory'?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

export interface CompositeAction {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

export const actionText = await readFile(fileURLToPath(new URL('../../../action.yml', import.meta.url)), 'utf8');
export const action: CompositeAction = parse(actionText);

interface Situation {
  /** Stands for the checkout; `temp` and the files of the runner are beside it. */
  readonly folder: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly pullRequest?: string;
  readonly actionPath?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ActionRun {
  readonly exitCode: number | null;
  readonly log: string;
  readonly summary: string;
  /** Steps that would have used another action, with what they would have been given. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs a composite action as the runner of GitHub does: shell steps are run, other steps are returned. */
export async function runAction({
  folder,
  inputs = {},
  pullRequest = '',
  actionPath = '',
  env = {},
}: Situation): Promise<ActionRun> {
  const temp = join(folder, '.runner');
  await mkdir(temp, { recursive: true });
  const summaryFile = join(temp, 'summary');
  await writeFile(summaryFile, '');
  const values = new Map<string, string>([
    ...Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, String(input.default)] as const),
    ['inputs.github-token', 'token'],
    ['github.action_path', actionPath],
    ['github.event.pull_request.number', pullRequest],
    ...Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value] as const),
  ]);
  const filled = (text: string): string =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_all, name: string) => valueIn(values, name));
  const used: { uses: string; with: Record<string, string> }[] = [];
  let log = '';
  let exitCode: number | null = 0;
  for (const step of action.runs.steps) {
    if (exitCode !== 0) break;
    if (step.if !== undefined && !isTrue(step.if, values)) continue;
    if (step.uses !== undefined) {
      const given = Object.entries(step.with ?? {}).map(([name, value]) => [name, filled(String(value))]);
      used.push({ uses: step.uses, with: Object.fromEntries(given) });
      continue;
    }
    const outputFile = join(temp, 'output');
    await writeFile(outputFile, '');
    const stepEnv = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]);
    const ended = await bash(step.run ?? '', resolve(folder, filled(step['working-directory'] ?? '.')), {
      ...{ RUNNER_TEMP: temp, GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile, GITHUB_REPOSITORY: 'o/r' },
      ...env,
      ...Object.fromEntries(stepEnv),
    });
    exitCode = ended.exitCode;
    log += ended.log;
    for (const [, name, value] of (await readFile(outputFile, 'utf8')).matchAll(/^([\w-]+)=(.*)$/gm))
      values.set(`steps.${step.id}.outputs.${name}`, value ?? '');
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]);
  return { exitCode, log, summary: await readFile(summaryFile, 'utf8'), used, outputs: Object.fromEntries(outputs) };
}

function valueIn(known: ReadonlyMap<string, string>, name: string): string {
  if (!/^(inputs|steps|github)\./.test(name))
    throw new Error(`the action uses ${name}, which this runner does not know`);
  return known.get(name) ?? '';
}

/** `a == 'x' && b != ''` is all that the action uses. */
function isTrue(condition: string, known: ReadonlyMap<string, string>): boolean {
  return condition.split(' && ').every((part) => {
    const [, name = '', operator, text] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(part) ?? [];
    return (valueIn(known, name) === text) === (operator === '==');
  });
}

function bash(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; log: string }> {
  const { NO_COLOR: _, FORCE_COLOR: _f, ASSAY_STORE: __, CI: ___, ...inherited } = process.env;
  // As the runner starts it.
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: { ...inherited, ...env },
  });
  return new Promise((done, failed) => {
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    child.on('error', failed);
    child.on('close', (exitCode) => done({ exitCode, log }));
  });
}

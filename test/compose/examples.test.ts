import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { loadModelScript } from '../../src/load/scripts.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the task manager example', () => {
  it('shows what the better AGENTS.md changes', async () => {
    const store = await storeElsewhere();
    const result = await assay(['run', '--json', '--no-cache', ...store], { cwd: `${root}/examples/taskmgr` });
    const { outcome, trials } = JSON.parse(result.stdout);
    const figures = Object.fromEntries(
      trials.map(({ variant, interaction }: { variant: { guidance: string }; interaction: Record<string, number> }) => [
        variant.guidance,
        [
          interaction.total_commands,
          interaction.error_rate,
          interaction.help_invocations,
          interaction.first_try_success_rate,
        ],
      ]),
    );
    expect(outcome).toBe('pass');
    expect(figures).toEqual({ poor: [8, 0.25, 2, 0.75], good: [4, 0, 0, 1] });
    expect(result.exitCode).toBe(0);
  });
});

describe('the example of published skills', () => {
  it('runs the evals of five skills unchanged, with evidence for every expectation, with and without each skill', async () => {
    const cwd = `${root}/examples/published-skills`;
    await using model = await startScriptedModel(await loadModelScript('judge.yaml', cwd));
    const env = { ...model.environment, OPENAI_API_KEY: 'any' };
    const args = ['run', '--json', '--no-cache', ...(await storeElsewhere())];
    const { trials } = JSON.parse((await assay(args, { cwd, env })).stdout) as { trials: SkillTrial[] };
    const outcomes = (skills: string): Record<string, string> =>
      Object.fromEntries(
        trials
          .filter(({ scenario, variant }) => variant.skills === skills && !scenario.endsWith('triggers'))
          .map(({ scenario, caseId, outcome }) => [`${scenario} ${caseId}`, outcome]),
      );
    const cases = ['commit-message 1', 'csv-summary totals-by-region', 'env-file 1', 'invoice-check 1', 'log-triage 1'];
    const all = (outcome: string) => Object.fromEntries(cases.map((name) => [name, outcome]));
    expect(outcomes('with')).toEqual({ ...all('pass'), 'invoice-check 2': 'pass' });
    expect(outcomes('without')).toEqual({ ...all('fail'), 'invoice-check 2': 'pass' });
    const triggered = trials.filter(({ scenario }) => scenario === 'commit-message triggers');
    expect(triggered.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass', 'pass']);
    const criteria = trials.flatMap(({ judge }) => judge?.criteria ?? []);
    const met = criteria.filter(({ answer }) => answer === 'met');
    expect(met.length).toBeGreaterThanOrEqual(9);
    expect(met.every(({ evidence }) => evidence.some(({ isVerified }) => isVerified))).toBe(true);
  });
});

interface SkillTrial {
  readonly scenario: string;
  readonly caseId: string;
  readonly outcome: string;
  readonly variant: { readonly skills: string };
  readonly judge: {
    readonly criteria?: readonly { answer: string; evidence: readonly { isVerified: boolean }[] }[];
  } | null;
}

describe('the skill example', () => {
  it('shows that the skill helps, and which description triggers it too often', async () => {
    const store = await storeElsewhere();
    const cwd = `${root}/examples/changelog-skill`;
    const result = await assay(['run', '--json', '--no-cache', ...store], { cwd });
    const { runId, trials } = JSON.parse(result.stdout);
    const outcomes = (scenario: string, skills: string): string[] =>
      trials
        .filter((trial: { scenario: string; variant: { skills: string } }) => trial.scenario === scenario)
        .filter((trial: { variant: { skills: string } }) => trial.variant.skills === skills)
        .map(({ outcome }: { outcome: string }) => outcome);
    expect([outcomes('Add a changelog entry', 'with'), outcomes('Add a changelog entry', 'without')]).toEqual([
      ['pass'],
      ['fail'],
    ]);
    expect(outcomes('Triggers of the changelog skill', 'broad').filter((one) => one === 'pass')).toHaveLength(4);
    expect(outcomes('Triggers of the changelog skill', 'precise').filter((one) => one === 'pass')).toHaveLength(7);
    expect(result.exitCode).toBe(1);
    const by = ['--by', 'skills', '--a', 'broad', '--b', 'precise', '--json', ...store];
    const compared = JSON.parse((await assay(['compare', runId, ...by], { cwd })).stdout);
    expect(compared.triggering).toMatchObject({
      a: { precision: { rate: 0.5 }, recall: { rate: 0.75 }, truePositives: 3, falsePositives: 3, trueNegatives: 1 },
      b: { precision: { rate: 1 }, recall: { rate: 0.75 }, truePositives: 3, falsePositives: 0, trueNegatives: 4 },
    });
  });
});

describe('the judged example', () => {
  it('passes with its scripted model', async () => {
    const store = await storeElsewhere();
    await using model = await startScriptedModel(await loadModelScript('examples/judged/script.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const result = await assay(['run', 'examples/judged/capital.yaml', '--json', '--no-cache', ...store], {
      cwd: root,
      env,
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ outcome: 'pass', trials: [{ judge: { state: 'pass' } }] });
    expect(result.exitCode).toBe(0);

    const cwd = await temporaryFolder();
    await cp(join(root, 'examples/judged'), cwd, { recursive: true });
    const batched = await assay(['run', 'capital.yaml', '--batch', '--json', '--no-cache'], { cwd, env });
    expect([batched.exitCode, JSON.parse(batched.stdout).reason]).toEqual([3, 'The trial waits for the judge']);
    const fetched = await assay(['run', '--resume', 'latest', '--json', '--no-cache'], { cwd, env });
    expect([fetched.exitCode, JSON.parse(fetched.stdout).outcome]).toEqual([0, 'pass']);
  });
});

describe('the graders example', () => {
  it('passes without a model, with the figures of its graders', async () => {
    const store = await storeElsewhere();
    const result = await assay(['run', 'examples/graders/booking.yaml', '--json', ...store], { cwd: root });
    const { outcome, trials } = JSON.parse(result.stdout);
    expect(outcome).toBe('pass');
    expect(trials[0].metrics).toMatchObject({ trajectory: 1, 'reference.references': 1, 'reference.invented': 0 });
    expect(trials[0].evaluatorResults).toContainEqual(
      expect.objectContaining({ id: 'thanked', state: 'fail', isPart: true }),
    );
    expect(result.exitCode).toBe(0);
  });
});

describe('the claims example', () => {
  it('passes with a scripted model', async () => {
    const store = await storeElsewhere();
    await using model = await startScriptedModel(await loadModelScript('examples/graders/model.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const result = await assay(['run', 'examples/graders/claims.yaml', '--json', ...store], { cwd: root, env });
    const { outcome, trials } = JSON.parse(result.stdout);
    expect(outcome).toBe('pass');
    expect(trials[0].judge).toMatchObject({ mode: 'groundedness', score: 1 });
  });
});

describe('the example of a judge that looks', () => {
  it('quotes a line of the file that the agent left', async () => {
    const store = await storeElsewhere();
    await using model = await startScriptedModel(await loadModelScript('examples/taskmgr/judged/judge.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const folder = `${root}/examples/taskmgr`;
    const result = await assay(['run', 'judged/looked-at.yaml', '--json', '--no-cache', ...store], {
      cwd: folder,
      env,
    });
    const { outcome, trials } = JSON.parse(result.stdout);
    expect(outcome).toBe('pass');
    expect(trials[0].judge.criteria[0].evidence).toMatchObject([{ file: '.taskmgr/tasks.json', line: 4 }]);
  });
});

describe('the calculator example', () => {
  it('passes its suites and its workflow with a scripted model and judge', async () => {
    const store = await storeElsewhere();
    await using model = await startScriptedModel(await loadModelScript('examples/calculator/model.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ANTHROPIC_API_KEY: 'any', ...model.environment };
    const result = await assay(['eval', 'examples/calculator/calculator.json', '--llm', '--json', ...store], {
      cwd: root,
      env,
    });
    const { outcome, trials } = JSON.parse(result.stdout);
    expect(outcome).toBe('pass');
    expect(trials.map(({ scenario }: { scenario: string }) => scenario)).toEqual([
      'Arithmetic',
      'Refusals',
      'Shopping',
    ]);
    expect(trials[0].toolHealth).toHaveLength(4);
    expect(trials[2].workflow.map(({ metric, score }: { metric: string; score: number }) => [metric, score])).toEqual([
      ['End-to-End Success', 1],
      ['Tool Invocation Order', 1],
      ['Tool Call Health', 1],
      ['LLM Judge', 0.95],
    ]);
    expect(result.exitCode).toBe(0);
  });

  it('offers its tools in four ways, and an experiment finds the one that lacks a tool', async () => {
    const store = await storeElsewhere();
    const script = await loadModelScript('examples/calculator/surfaces-model.yaml', root);
    await using model = await startScriptedModel(script);
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const file = 'examples/calculator/surfaces.json';
    const by = ['--by', 'surface', '--model', 'openai/gpt-4o', '--max-trials', '40', '--json'];
    const result = await assay(['experiment', file, ...by, ...store], { cwd: root, env });
    const { trials } = JSON.parse(result.stdout) as {
      trials: { scenario: string; outcome: string; variant: { surface: string }; usage: { inputTokens: number } }[];
    };
    // The way that lacks a tool is decided after three rounds, the others go on.
    expect(trials).toHaveLength(36);
    const failed = trials.filter(({ outcome }) => outcome !== 'pass');
    expect(failed.map(({ scenario, variant }) => `${scenario} ${variant.surface}`)).toEqual(
      Array.from({ length: 3 }, () => 'Share sums'),
    );
    const inputs = (surface: string) =>
      trials
        .filter(({ variant }) => variant.surface === surface)
        .reduce((sum, { usage }) => sum + usage.inputTokens, 0);
    expect(inputs('code')).not.toBe(inputs('all'));
    const compared = await assay(['compare', 'latest', '--by', 'surface', '--a', 'all', '--b', 'sums', ...store], {
      cwd: root,
    });
    expect(compared.stdout).toContain('surface: all in A, sums in B');
    expect(compared.stdout).toContain('tokens');
  });

  it('has tools that no rule of mcp-check complains about', async () => {
    const cwd = `${root}/examples/calculator`;
    const result = await assay(['mcp-check', '--json', '--fail-on', 'warning', '--', 'node', 'server.mjs'], { cwd });
    expect(JSON.parse(result.stdout).problems.filter((one: { severity: string }) => one.severity !== 'info')).toEqual(
      [],
    );
    expect(result.exitCode).toBe(0);
  });
});

describe('the promoted case', () => {
  const cwd = `${root}/examples/cases`;

  it('fails as its trial did, and passes with the mended agent', async () => {
    const store = await storeElsewhere();
    const outcomes = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await assay(['run', '--tags', 'promoted', '--json', ...args, ...store], { cwd });
      return JSON.parse(stdout).trials.map(({ outcome }: { outcome: string }) => outcome);
    };
    expect(await outcomes()).toEqual(['fail']);
    expect(await outcomes('--connector', 'after')).toEqual(['pass']);
  });
});

describe('the generated suite', () => {
  const cwd = `${root}/examples/cases`;

  it('is what the server gives again, and its direct calls pass', async () => {
    const store = await storeElsewhere();
    const { stdout } = await assay(['run', '--tags', 'usual,boundary,error-path', '--json', ...store], { cwd });
    expect(JSON.parse(stdout).trials.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'pass',
      'pass',
      'pass',
    ]);
    const copy = await temporaryFolder();
    await cp(cwd, copy, { recursive: true });
    await assay(['generate', '--from', 'node server.mjs', '--force'], { cwd: copy });
    const file = 'scenarios/generated/server.yaml';
    expect(await readFile(join(copy, file), 'utf8')).toBe(await readFile(join(cwd, file), 'utf8'));
  });
});

describe('the shop example', () => {
  it('distinguishes two agents that answer alike by what they changed', async () => {
    const cwd = await temporaryFolder();
    await cp(join(root, 'examples/shop-state'), cwd, { recursive: true });
    const result = await assay(['run', '--json', '--no-cache'], { cwd });
    const { trials } = JSON.parse(result.stdout);
    const outcomes = (connector: string): string[] =>
      trials
        .filter(({ variant }: { variant: { connector: string } }) => variant.connector === connector)
        .map(({ outcome }: { outcome: string }) => outcome);
    expect([outcomes('careful'), outcomes('hasty')]).toEqual([
      ['pass', 'pass', 'pass'],
      ['pass', 'fail', 'fail'],
    ]);
    expect(result.exitCode).toBe(1);
  });
});

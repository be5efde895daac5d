import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { type ToolTrial, toolProject } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Every key that a scenario can have, as earlier files write them. */
const scenario = `name: complete
description: Everything at once
template_folder: items
target: from_config
task:
  prompt: Create one item called milk.
setup:
  commands:
    - my-tool create --title "from setup"
    - echo "$LLM_TOOL_TEST_SCENARIO" > setup.txt
scripts:
  post:
    - command: my-tool list > "$LLM_TOOL_TEST_RESULTS_DIR/after.json"
      timeout_secs: 10
  evaluators:
    - name: counting
      command: 'echo "{\\"metrics\\": {\\"items\\": $(wc -l < .my-tool/store.db)}, \\"score\\": 0.5, \\"summary\\": \\"counted\\"}"'
    - name: broken
      command: exit 3
evaluation:
  gates:
    - { type: command_succeeds, command: my-tool doctor }
    - { type: command_output_contains, command: my-tool list, substring: milk }
    - { type: command_output_matches, command: my-tool list, pattern: 'm[il]+k' }
    - { type: command_json_path, command: my-tool list, path: '$[*].title', assertion: len == 2 }
    - { type: file_exists, path: .my-tool/store.db }
    - { type: file_contains, path: setup.txt, substring: complete }
    - { type: file_matches, path: initial.txt, pattern: '^laid over' }
    - { type: no_transcript_errors }
    - type: script
      command: 'test -s "$LLM_TOOL_TEST_TRANSCRIPT" && test -s "$LLM_TOOL_TEST_EVENTS" && echo "{\\"passed\\": true, \\"message\\": \\"seen by $LLM_TOOL_TEST_AGENT\\", \\"detail\\": {\\"level\\": \\"$LEVEL\\"}}"'
      description: the transcript is there
  judge: { enabled: true, rubric: rubrics/items.yaml, pass_threshold: 0.7 }
  composite: { gate_weight: 0.5, judge_weight: 0.3, interaction_weight: 0.2 }
tool_matrix:
  - { tool: quick, models: [small, large] }
run: { timeout_secs: 60, max_turns: 10 }
tags: [complete, smoke]
tier: 2
cost: { max_usd: 1, cache: false }
`;

const config = `fixtures_path = "my-fixtures"
results_path = "my-results"

[target]
binary = "my-tool"
command_pattern = "my-tool\\\\s+(\\\\S+)"
health_check = "my-tool doctor"

[target.env]
LEVEL = "\${LEVEL}"

[tools.quick]
name = "quick"
command = "./agent.sh"
models = ["small", "large"]

[profiles.one]
name = "one"
tools = ["quick"]
models = ["small"]

[models.small]
input_cost_per_1k_tokens = 0.5
output_cost_per_1k_tokens = 1.5
`;

const rubric = `criteria:
  - { id: done, weight: 0.6, description: The item was created }
  - { id: quick, weight: 0.4, description: Without detours }
output:
  format: json
  require_fields: [scores, weighted_score, confidence, issues, highlights]
`;

const agent = `#!/bin/sh
echo "working on: $1 with $ASSAY_MODEL"
my-tool create --title milk
`;

const judged = {
  scores: { done: 1, quick: 0.5 },
  weighted_score: 0.9,
  confidence: 0.8,
  issues: [],
  highlights: ['One command was enough'],
};

async function completeProject(): Promise<string> {
  const folder = await toolProject({
    scenario: '',
    script: '',
    files: {
      'scenario.yaml': scenario,
      'llm-tool-test-config.toml': config,
      'assay.config.yaml': 'agents: {}\n',
      'my-fixtures/templates/items/README.md': '# Items\n',
      'my-fixtures/templates/items/initial-state/initial.txt': 'laid over the root\n',
      'my-fixtures/rubrics/items.yaml': rubric,
      'agent.sh': agent,
    },
  });
  const { chmod } = await import('node:fs/promises');
  await chmod(join(folder, 'agent.sh'), 0o755);
  return folder;
}

describe('a scenario with every key', () => {
  it('has the same findings when its judge answers in a batch', async () => {
    const folder = await completeProject();
    await using model = await startScriptedModel({ rules: [{ reply: { json: judged } }] });
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      LEVEL: 'high',
      OPENAI_API_KEY: 'sk-scripted-0123456789abcdef',
      LLM_TOOL_TEST_JUDGE: 'gpt-4o-mini',
      ...model.environment,
    };
    const run = async (...flags: string[]): Promise<ToolTrial[]> => {
      const { stdout, stderr } = await assay(['run', '--json', '--no-cache', ...flags], { cwd: folder, env });
      if (!stdout.startsWith('{')) throw new Error(stderr);
      return JSON.parse(stdout).trials;
    };
    const [live] = await run('-s', 'scenario');
    const waiting = await run('-s', 'scenario', '--batch');
    expect(waiting.map(({ fault }) => fault?.code)).toEqual(['JUDGE_WAITING', 'JUDGE_WAITING']);
    const [fetched] = await run('--resume', 'latest');
    const found = ({ gates, composite_score, outcome, reason, judge }: ToolTrial) => {
      const { state, score } = judge ?? {};
      return { gates, composite_score, outcome, reason, state, score };
    };
    if (!live || !fetched) throw new Error('a trial is missing');
    expect(found(fetched)).toEqual(found(live));
    const left = join(folder, 'my-results', fetched.artifacts ?? '');
    expect(await readFile(join(left, 'evaluation.md'), 'utf8')).toContain('**4** / 5');
  });

  it('runs as it is written, with the config of llm-tool-test and a judge', async () => {
    const folder = await completeProject();
    await using model = await startScriptedModel({ rules: [{ reply: { json: judged } }] });
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      LEVEL: 'high',
      OPENAI_API_KEY: 'sk-scripted-0123456789abcdef',
      LLM_TOOL_TEST_JUDGE: 'gpt-4o-mini',
      ...model.environment,
    };
    const run = async (...flags: string[]): Promise<{ trials: ToolTrial[]; exitCode: number | null }> => {
      const result = await assay(['run', '--all', '--json', '--no-cache', '-s', 'scenario', ...flags], {
        cwd: folder,
        env,
      });
      if (!result.stdout.startsWith('{')) throw new Error(result.stderr);
      return { trials: JSON.parse(result.stdout).trials, exitCode: result.exitCode };
    };
    const { trials, exitCode } = await run();
    expect(trials.map(({ variant }) => variant)).toEqual([
      { agent: 'quick', model: 'small' },
      { agent: 'quick', model: 'large' },
    ]);
    const [trial] = trials;
    expect(trial?.gates.filter(({ passed }) => !passed)).toEqual([]);
    expect(trial).toMatchObject({
      outcome: 'pass',
      gates_total: 9,
      judge: { state: 'pass', score: 0.8 },
      interaction: { source: 'recorder', total_commands: 1, first_try_success_rate: 1, completed: true },
      scripts: [
        { name: 'counting', metrics: { items: 2 }, score: 0.5, summary: 'counted' },
        { name: 'broken', error: expect.stringContaining('exited with 3') },
      ],
      metrics: { 'counting.items': 2, 'counting.score': 0.5 },
    });
    expect(trial?.gates.at(-1)).toMatchObject({ message: 'seen by quick', detail: { level: 'high' } });
    expect(trial?.composite_score).toBeCloseTo(0.5 * 1 + 0.3 * 0.8 + 0.2 * 1, 10);
    expect(exitCode).toBe(0);
    const left = join(folder, 'my-results', trial?.artifacts ?? '');
    expect(JSON.parse(await readFile(join(left, 'after.json'), 'utf8'))).toEqual([
      { title: 'from setup' },
      { title: 'milk' },
    ]);
    expect(await readFile(join(left, 'evaluation.md'), 'utf8')).toContain('**4** / 5');
    expect((await readFile(join(folder, 'my-results/results.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(2);
    const profiled = await run('--profile', 'one');
    expect(profiled.trials.map(({ variant }) => variant)).toEqual([{ agent: 'quick', model: 'small' }]);
  });

  it('is selected by tags and tiers', async () => {
    const folder = await completeProject();
    const list = async (...flags: string[]) => assay(['scenarios', 'scenario.yaml', ...flags], { cwd: folder });
    expect((await list('--tier', '2', '--tags', 'other,smoke')).stdout).toContain(
      '[standard] complete [complete, smoke] - Everything at once',
    );
    expect((await list('--tier', '1')).exitCode).toBe(2);
  });

  it('refuses a profile beside an agent', async () => {
    const result = await assay(['run', '--profile', 'one', '--tool', 'quick'], { cwd: await temporaryFolder() });
    expect(result).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--profile cannot be combined with --agent'),
    });
  });
});

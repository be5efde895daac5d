import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import {
  loadCliTools,
  minimalCliTool as minimal,
  onlyScenario,
  readCliTool as read,
  sampleRubric as rubric,
} from '../../../../testing/support/llm-tool-test.ts';
import { temporaryFolder, writeFiles } from '../../../../testing/support/temporary-folder.ts';

/** The parts of a scenario as the specification shows them. */
const fromSpecification = `name: task_manager
description: Creates tasks
target:
  binary: my-tool
  command_pattern: "my-tool\\\\s+(\\\\S+)"
task:
  prompt: Create three tasks
evaluation:
  gates:
    - type: command_json_path
      command: "my-tool list --format json"
      path: "$"
      assertion: "len >= 3"

    - type: command_output_contains
      command: "my-tool search 'distributed systems'"
      substring: "distributed"

    - type: file_exists
      path: ".my-tool/store.db"

    - type: command_succeeds
      command: "my-tool doctor"

    - type: no_transcript_errors
  judge:
    enabled: true
    rubric: rubrics/capture_v1.yaml
    pass_threshold: 0.70
  composite:
    gate_weight: 0.50
    judge_weight: 0.30
    interaction_weight: 0.20
`;

/** Every key that there is. */
const complete = `name: complete
description: everything at once
template_folder: workspaces/basic
target:
  binary: taskmgr
  command_pattern: "taskmgr (\\\\w+)"
  health_check: taskmgr --version
  env: { TASKMGR_HOME: "\${LLM_TOOL_TEST_FIXTURE_DIR}/.tasks", PLAIN: x }
task:
  prompt: |
    Create a task.
    Then list it.
setup:
  commands: [taskmgr init, 'echo hi > note.txt']
scripts:
  post:
    - command: ./collect.sh
    - { command: ./slow.sh, timeout_secs: 90 }
  evaluators:
    - { command: ./score.sh, name: quality }
    - { command: ./size.sh, name: size, timeout_secs: 5 }
evaluation:
  gates:
    - { type: command_succeeds, command: taskmgr doctor, timeout_secs: 3 }
    - { type: command_output_contains, command: taskmgr list, substring: one }
    - { type: command_output_matches, command: taskmgr list, pattern: 'on.' }
    - { type: command_json_path, command: taskmgr list --json, path: $.tasks, assertion: len == 1 }
    - { type: file_exists, path: .tasks }
    - { type: file_contains, path: .tasks/db, substring: one }
    - { type: file_matches, path: .tasks/db, pattern: '^one' }
    - { type: no_transcript_errors, description: no slip }
    - { type: script, command: ./check.sh, description: looks closely }
  judge: { enabled: true, rubric: rubric.yaml, pass_threshold: 0.8 }
  composite: {}
tool_matrix:
  - { tool: opencode, models: [gpt-4o, default] }
  - tool: claude-code
run: { timeout_secs: 120, max_turns: 12 }
tags: [smoke, tasks]
tier: 2
cost: { max_usd: 0.5, cache: false }
evaluators:
  - { type: llm-judge, config: { successCriteria: It is done } }
repeat: 3
isolation: process
mcp_servers:
  files: { command: npx, args: [server] }
  web: { url: 'http://localhost:1/mcp' }
guidance: { v1: docs/v1.md, v2: docs/v2 }
`;

const material = {
  'workspaces/basic/README.md': 'hello',
  'docs/v1.md': 'one',
  'docs/v2/AGENTS.md': 'two',
  'rubric.yaml': rubric,
};

const asserting = minimal.replace('[]', '[{ type: file_exists, path: a }]');

describe('the example of the specification', () => {
  it('is read as it is written', async () => {
    const { scenario, task, config, warnings } = await read(fromSpecification, { 'rubrics/capture_v1.yaml': rubric });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      binary: 'my-tool',
      commandPattern: 'my-tool\\s+(\\S+)',
      prompt: 'Create three tasks',
    });
    expect(task).toMatchObject({ caseId: 'task', input: 'Create three tasks', expected: undefined });
    expect(task.evaluators.map(({ type }) => type)).toEqual([
      'interaction',
      'command_json_path',
      'command_output_contains',
      'file_exists',
      'command_succeeds',
      'no_transcript_errors',
      'rubric-judge',
    ]);
    expect(task.evaluators[1]?.config).toEqual({
      command: 'my-tool list --format json',
      path: '$',
      assertion: 'len >= 3',
      timeout_secs: 30,
    });
    expect(task.evaluators.at(-1)?.config).toMatchObject({
      passThreshold: 0.7,
      rubric: { criteria: [{ id: 'command_correctness' }, { id: 'task_completion' }, { id: 'efficiency' }] },
    });
    expect(scenario.composite).toEqual({ gates: 0.5, judge: 0.3, interaction: 0.2 });
    expect(scenario.variants).toEqual([{ agent: 'opencode' }]);
    expect(scenario.timeoutMs).toBe(300_000);
  });
});

describe('a scenario with every key', () => {
  it('gives the target all that it needs', async () => {
    const { folder, config } = await read(complete, material);
    expect(config).toEqual({
      binary: 'taskmgr',
      binaries: [],
      commandPattern: 'taskmgr (\\w+)',
      healthCheck: 'taskmgr --version',
      env: { TASKMGR_HOME: '${LLM_TOOL_TEST_FIXTURE_DIR}/.tasks', PLAIN: 'x' },
      prompt: 'Create a task.\nThen list it.\n',
      template: join(folder, 'workspaces/basic'),
      setup: ['taskmgr init', 'echo hi > note.txt'],
      postScripts: [
        { command: './collect.sh', timeoutSecs: 30 },
        { command: './slow.sh', timeoutSecs: 90 },
      ],
      guidance: { v1: join(folder, 'docs/v1.md'), v2: join(folder, 'docs/v2') },
      skills: {},
      graders: undefined,
      maxTurns: 12,
      maxTokens: undefined,
      maxUsd: 0.5,
      inputs: [],
      reuse: false,
      solution: undefined,
      isolation: 'process',
      mcpServers: {
        files: { command: 'npx', args: ['server'], env: {} },
        web: { url: 'http://localhost:1/mcp', headers: {} },
      },
    });
  });

  it('is judged in the order of the layers', async () => {
    const { scenario, task, warnings } = await read(complete, material);
    expect(warnings).toEqual([]);
    expect(task.evaluators.map(({ type }) => type)).toEqual([
      'interaction',
      'command_succeeds',
      'command_output_contains',
      'command_output_matches',
      'command_json_path',
      'file_exists',
      'file_contains',
      'file_matches',
      'no_transcript_errors',
      'script',
      'script-evaluator',
      'script-evaluator',
      'llm-judge',
      'rubric-judge',
    ]);
    expect(task.evaluators.slice(10, 12).map(({ config }) => config)).toEqual([
      { name: 'quality', command: './score.sh', timeout_secs: 60 },
      { name: 'size', command: './size.sh', timeout_secs: 5 },
    ]);
    expect(scenario).toMatchObject({
      name: 'complete',
      description: 'everything at once',
      tags: ['smoke', 'tasks'],
      tier: 2,
      repeat: 3,
      timeoutMs: 120_000,
      composite: { gates: 0.35, judge: 0.55, interaction: 0.1 },
      caseCount: 1,
      judge: { models: [], samples: undefined },
    });
    expect(scenario.variants).toEqual([
      { agent: 'opencode', model: 'gpt-4o', guidance: 'v1' },
      { agent: 'opencode', model: 'gpt-4o', guidance: 'v2' },
      { agent: 'opencode', guidance: 'v1' },
      { agent: 'opencode', guidance: 'v2' },
      { agent: 'claude-code', guidance: 'v1' },
      { agent: 'claude-code', guidance: 'v2' },
    ]);
  });

  it.each(['yml', 'json', 'jsonc'])('may be written as .%s', async (ending) => {
    const { parse } = await import('yaml');
    const text = ending === 'yml' ? complete : JSON.stringify(parse(complete), null, 2);
    const folder = await temporaryFolder({ ...material, 'scenario.yaml': complete, [`other.${ending}`]: text });
    const original = await onlyScenario(await loadCliTools(folder, ['scenario.yaml']));
    const other = await onlyScenario(await loadCliTools(folder, [`other.${ending}`]));
    expect(other.config).toEqual(original.config);
    expect(other.task).toEqual(original.task);
    expect(other.scenario.contentHash).toBe(original.scenario.contentHash);
  });
});

describe('files as they are found in the wild', () => {
  it('have a task that is a text, gates at the top and no template', async () => {
    const text =
      'name: basic\ndescription: x\ntarget:\n  binary: echo\ntask: Say hello\ngates:\n  - type: file_exists\n    path: a\n    description: is there\nevaluation:\n  composite: {}\n';
    const { task, config, warnings } = await read(text);
    expect(config.prompt).toBe('Say hello');
    expect(config.template).toBeUndefined();
    expect(task.evaluators).toEqual([
      { type: 'interaction', config: {} },
      { type: 'file_exists', config: { path: 'a', description: 'is there' } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('have sections that were left empty', async () => {
    const text = `${minimal}setup:\nscripts:\nrun:\ncost:\ntool_matrix:\ntags:\ntemplate_folder:\ndescription:\n`;
    const { scenario, warnings } = await read(text.replace('{ gates: [] }', '{ gates: [], judge: , composite: }'));
    expect(scenario.composite).toBeUndefined();
    expect(scenario.tags).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'this scenario asserts nothing: its trials end as `error` (NOTHING_ASSERTED)',
    ]);
  });

  it('have gates in both places, which all count', async () => {
    const gate = (path: string) => `[{ type: file_exists, path: ${path} }]`;
    const { task, warnings } = await read(`${minimal.replace('[]', gate('a'))}gates: ${gate('b')}\n`);
    expect(task.evaluators.slice(1).map(({ config }) => config)).toEqual([{ path: 'a' }, { path: 'b' }]);
    expect(warnings.map(formatProblem)).toEqual([
      'scenario.yaml:5:8: `gates` are added to those of `evaluation.gates`',
    ]);
  });

  it('name gates as they stood in results', async () => {
    const { task } = await read(
      minimal.replace('[]', '[{ type: CommandJsonPath, command: c, path: $, assertion: exists }]'),
    );
    expect(task.evaluators[1]?.type).toBe('command_json_path');
  });

  it('have keys that mean nothing, which are warned of', async () => {
    const text = `${asserting}author: me\ntemplate_foldr: x\nrun:\n  timeout: 5\n`;
    const { warnings } = await read(text);
    expect(warnings.map(formatProblem)).toEqual([
      'scenario.yaml:5:1: unknown key `author` is ignored',
      'scenario.yaml:6:1: unknown key `template_foldr` is ignored\n    Did you mean `template_folder`?',
      'scenario.yaml:8:3: unknown key `timeout` is ignored\n    Did you mean `timeout_secs`?',
    ]);
  });

  it('have a command pattern that can never match, which is warned of', async () => {
    const text = asserting.replace('binary: tool', "binary: tool, command_pattern: '('");
    const { warnings } = await read(text);
    expect(warnings.map(formatProblem)).toEqual([
      expect.stringMatching(/^scenario\.yaml:2:42: invalid command pattern, which finds no commands: /),
    ]);
  });

  it('want nothing checked when they say so', async () => {
    const { task } = await read(minimal);
    expect(task.evaluators).toEqual([{ type: 'interaction', config: {} }]);
  });
});

describe('a scenario read twice', () => {
  it('is the same wherever the project lies', async () => {
    const first = await read(complete, material);
    const second = await read(complete, material);
    expect(second.scenario.contentHash).toBe(first.scenario.contentHash);
    await writeFiles(second.folder, { 'elsewhere.txt': 'x' });
    const again = await onlyScenario(await loadCliTools(second.folder, ['scenario.yaml']));
    expect(again.scenario.contentHash).toBe(first.scenario.contentHash);
  });
});

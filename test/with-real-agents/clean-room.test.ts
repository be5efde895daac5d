import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type AgentInstructions, instructionsOf } from '../../src/drive/agents/agent.ts';
import { agentKinds } from '../../src/drive/agents/index.ts';
import { type LoggedRequest, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { settingsOf } from './agent-task.ts';
import { environmentWith, type InstalledAgent, installedAgents, testModel } from './installed-agents.ts';

const page = fileURLToPath(new URL('../../docs/guides/agents.md', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The guidance of each arm, and the sentence that must arrive in it and in no other. */
const arms = {
  file: 'Every file arm says amber-canary-41.',
  folder: 'Every folder arm says cobalt-canary-42.',
  none: undefined,
} as const;
type Arm = keyof typeof arms;

/** In the project's own instruction files: must arrive nowhere. */
const foreign = 'The project itself says crimson-canary-43.';
/** In the scenario file: must not be readable. */
const secret = 'verdant-canary-44';

const projectFiles = Object.fromEntries(
  ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md', '.github/copilot-instructions.md'].map((name) => [name, foreign]),
);

interface ArmRun {
  readonly requests: readonly LoggedRequest[];
  readonly trace: Trace;
  readonly outcome: string;
}

/** Has the agent try to read the project, its scenario and its Git history in one command, and then end. */
function curious({ shell }: InstalledAgent, folder: string): ScriptSource {
  const tool = shell('').name;
  const look = `cat ${folder}/AGENTS.md ${folder}/scenario.yaml; git -C ${folder} log -p | cat; ls ${folder}/.assay; taskmgr create --title seen`;
  return {
    rules: [
      { when: { tool, toolResult: 'created task' }, reply: 'Done.' },
      { when: { tool }, times: 1, toolCalls: [shell(look)] },
      { reply: 'OK' },
    ],
  };
}

async function runArm(agent: InstalledAgent, arm: Arm): Promise<ArmRun> {
  const folder = await temporaryFolder({
    ...projectFiles,
    'guidance/file.md': arms.file,
    'guidance/folder/AGENTS.md': arms.folder,
  });
  const scenario = {
    name: 'Look around',
    description: secret,
    target: { binary: join(root, 'examples/taskmgr/bin/taskmgr') },
    task: { prompt: 'Create a task.' },
    guidance: { [arm]: { file: 'guidance/file.md', folder: 'guidance/folder', none: 'none' }[arm] },
    evaluation: { gates: [{ type: 'command_output_contains', command: 'taskmgr list', substring: 'seen' }] },
    run: { timeout_secs: 120 },
  };
  await using model = await startScriptedModel(curious(agent, folder));
  const config = { agents: { [agent.name]: settingsOf(agent, { by: 'config' }, model.url) } };
  await writeFile(join(folder, 'scenario.yaml'), JSON.stringify(scenario));
  await writeFile(join(folder, 'assay.config.yaml'), JSON.stringify(config));
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x'],
  ]) {
    execFileSync('git', args, { cwd: folder });
  }
  const flags = ['--json', '--agent', agent.name, '--model', testModel];
  const env = environmentWith(agent);
  const run = await assay(['run', 'scenario.yaml', ...flags], { cwd: folder, env });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const [trial] = JSON.parse(run.stdout).trials as [{ trialId: string; outcome: string }];
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  return { requests: model.log(), trace: JSON.parse(shown.stdout).trace ?? [], outcome: trial.outcome };
}

/** Requests of the agent's own conversation: those that offer tools. */
function ownRequests({ requests }: ArmRun): LoggedRequest[] {
  return requests.filter(({ conversation }) => (conversation?.tools.length ?? 0) > 0);
}

/** How many of the agent's requests hold a text. */
function holding(run: ArmRun, text: string): number {
  return ownRequests(run).filter((request) => JSON.stringify(request).includes(text)).length;
}

const rows = new Map<string, string>();

describe.each(installedAgents())('$name $version', (agent) => {
  it('gets the guidance of its arm, nothing of the project, and cannot read what judges it', async () => {
    const kind = agentKinds.find(({ name }) => name === agent.name);
    const instructions = kind && instructionsOf({ kind, settings: { env: {}, args: [] } });
    const seen: Record<string, string> = {};
    for (const arm of Object.keys(arms) as Arm[]) {
      const run = await runArm(agent, arm);
      const all = ownRequests(run).length;
      expect(run.outcome, arm).toBe('pass');
      expect(all, arm).toBeGreaterThan(1);
      for (const [other, canary] of Object.entries(arms)) {
        if (canary !== undefined) expect(holding(run, canary), `${other} in ${arm}`).toBe(other === arm ? all : 0);
      }
      expect(holding(run, foreign), `the project's instructions in ${arm}`).toBe(0);
      expect(holding(run, secret), `the scenario in ${arm}`).toBe(0);
      expect(eventsOf(run.trace, 'instructions')).toMatchObject([
        { guidance: arm === 'none' ? null : arm, arrived: arm === 'none' ? 'no' : 'yes', foreign: [] },
      ]);
      seen[arm] = `${arm === 'none' ? 0 : all} of ${all}`;
    }
    rows.set(`${agent.name} ${agent.version}`, rowOf(agent, instructions, seen));
  });
});

function rowOf(
  agent: InstalledAgent,
  instructions: AgentInstructions | undefined,
  seen: Record<string, string>,
): string {
  const file = instructions?.files[0] ?? '';
  const skills = instructions?.skillFolders[0] ?? '';
  const cells = [`\`${agent.name}\``, agent.version, `\`${file}\``, `\`${skills}\``, seen.file, seen.folder, seen.none];
  return `| ${[...cells, 'none', 'no'].join(' | ')} |`;
}

/** Replaces the rows of the agents that were run in the table of the guide. */
afterAll(async () => {
  const text = await readFile(page, 'utf8');
  const [, before = '', table = '', after = ''] =
    /^([\s\S]*<!-- clean room: table -->\n)([\s\S]*)(<!-- clean room: end -->[\s\S]*)$/.exec(text) ?? [];
  if (before === '' || rows.size === 0) return;
  const lines = table.split('\n').filter((line) => line !== '');
  const names = [...rows.keys()].map((key) => key.split(' ')[0] ?? '');
  const others = lines.slice(2).filter((line) => !names.includes(agentOf(line)));
  const filled = [...lines.slice(0, 2), ...[...others, ...rows.values()].sort()];
  await writeFile(page, `${before}\n${filled.join('\n')}\n\n${after}`);
});

function agentOf(row: string): string {
  return /^\|\s*`([\w-]+)`/.exec(row)?.[1] ?? '';
}

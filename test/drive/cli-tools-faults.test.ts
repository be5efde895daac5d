import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  onlyTrial,
  runTool,
  type ToolRun,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { storedBytes } from '../../src/testing/support/project-store.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const gates = '[{ type: file_exists, path: README.md }, { type: file_exists, path: started }]';

interface HostileAgent {
  /** What the agent does, as a shell script. */
  readonly does: string;
  readonly format?: string;
  readonly scenario?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a scenario with an agent of the user's own that misbehaves. */
async function runHostile({
  does,
  format = 'auto',
  scenario = toolScenario(gates),
  env = {},
}: HostileAgent): Promise<ToolRun> {
  const folder = await toolProject({ scenario, script: '' });
  await writeFiles(folder, {
    'agent.sh': `#!/bin/sh\ntouch started\n${does}\n`,
    'assay.config.yaml': `agent: hostile\nagents: { hostile: { command: ./agent.sh, format: ${format} } }\n`,
  });
  await chmod(join(folder, 'agent.sh'), 0o755);
  return runTool(folder, [], env);
}

const limited = (seconds: number): string => toolScenario(gates, `run: { timeout_secs: ${seconds} }\n`);

describe('an agent that misbehaves', () => {
  it('is blamed when it crashes', async () => {
    const run = await runHostile({ does: 'echo working; kill -SEGV $$' });
    expect(onlyTrial(run)).toMatchObject({ outcome: 'error', fault: { code: 'AGENT_CRASHED', blame: 'agent' } });
    expect(run.exitCode).toBe(3);
  });

  it('is judged by its work when it ends with an error of its own', async () => {
    const trial = onlyTrial(await runHostile({ does: 'my-tool list; echo I give up; exit 4' }));
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { completed: false, total_commands: 1 } });
  });

  it('is not trusted when it exits with 0 after its provider failed', async () => {
    const line = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      session_id: 's',
    });
    const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] });
    const run = await runHostile({ does: `echo '${init}'\necho '${line}'\nexit 0`, format: 'claude' });
    expect(onlyTrial(run)).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_UNAUTHORIZED', blame: 'model' } });
    expect(run.exitCode).toBe(3);
  });

  it('may print junk', async () => {
    const trial = onlyTrial(await runHostile({ does: 'head -c 200000 /dev/urandom; my-tool list' }));
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { total_commands: 1 } });
  });

  it('may print without end, and the ends are kept', async () => {
    const does = 'echo first; head -c 40000000 /dev/zero | tr "\\0" x | fold -w 1000; echo last';
    const run = await runHostile({ does, format: 'text', scenario: limited(60) });
    const trial = onlyTrial(run);
    expect(trial.outcome).toBe('pass');
    const transcript = join(run.folder, '.assay/artifacts', trial.artifacts ?? '', 'transcript.raw.txt');
    const text = await readFile(transcript, 'utf8');
    expect((await stat(transcript)).size).toBeLessThan(18_000_000);
    expect(text.startsWith('first\n')).toBe(true);
    expect(text.endsWith('last\n')).toBe(true);
    expect(text).toMatch(/\d+ bytes left out/);
  });

  it('is ended with its time, and all that it started with it', async () => {
    const mark = `assay-leftover-${process.pid}`;
    const does = [
      'trap "" TERM',
      `LEFTOVER=${mark} nohup sleep 600 >/dev/null 2>&1 &`,
      `LEFTOVER=${mark} setsid sleep 600 >/dev/null 2>&1 &`,
      `(LEFTOVER=${mark} sleep 600 &)`,
      `LEFTOVER=${mark} sh -c 'trap "" TERM; while :; do sleep 1; done' &`,
      'my-tool create --title milk; while :; do sleep 1; done',
    ].join('\n');
    const trial = onlyTrial(await runHostile({ does, scenario: limited(2) }));
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { completed: false, total_commands: 1 } });
    expect(processesWith(mark)).toEqual([]);
  });

  it('leaves no daemon behind when it ends by itself', async () => {
    const mark = `assay-daemon-${process.pid}`;
    const does = `LEFTOVER=${mark} setsid nohup sleep 600 >/dev/null 2>&1 &\nmy-tool list`;
    expect(onlyTrial(await runHostile({ does }))).toMatchObject({ outcome: 'pass', interaction: { completed: true } });
    expect(processesWith(mark)).toEqual([]);
  });

  it('may delete its own work directory, which then fails the gates', async () => {
    const does = 'here=$(pwd); cd /; rm -rf "$here" 2>/dev/null; rm -rf "$here"/* "$here"/.[a-z]* 2>/dev/null; true';
    const run = await runHostile({ does });
    expect(onlyTrial(run)).toMatchObject({ outcome: 'fail', gates: [{ passed: false }, { passed: false }] });
    expect(run.exitCode).toBe(1);
  });

  it('has no way out of its trial where the machine can isolate it', async () => {
    const run = await runHostile({
      does: 'echo out > ../../../outside.txt; echo out > "$HOME/../../outside.txt"; my-tool list',
    });
    const trial = onlyTrial(run);
    expect(trial.outcome).toBe('pass');
    const events = await readFile(join(run.folder, '.assay/artifacts', trial.artifacts ?? '', 'events.jsonl'), 'utf8');
    const isolation = /"isolation":"(\w+)"/.exec(events)?.[1];
    const isOutside =
      existsSync(join(run.folder, '.assay/outside.txt')) ||
      existsSync(join(run.folder, '.assay/artifacts/outside.txt'));
    expect({ isolation, isOutside }).toEqual({ isolation, isOutside: isolation !== 'bubblewrap' });
  });

  it('cannot stop the recorder by filling its folder', async () => {
    const does =
      'cd "$(dirname "$(command -v my-tool)")/.." && for i in 1 2 3 4 5; do head -c 100000 /dev/urandom > calls/junk$i; done; cd - >/dev/null; my-tool list';
    const run = await runHostile({ does });
    expect(onlyTrial(run)).toMatchObject({ outcome: 'pass', interaction: { source: 'recorder', total_commands: 1 } });
  });

  it('is not given the keys of others, and its secrets reach no file of ours', async () => {
    const secret = 'hush-0123456789-abcdefgh-secret';
    const scenario = toolScenario(gates).replace(
      '  binary: my-tool\n',
      '  binary: my-tool\n  env: { TOOL_TOKEN: "${TOOL_TOKEN}" }\n',
    );
    const run = await runHostile({
      does: 'env; echo "token is $TOOL_TOKEN"; my-tool list "$TOOL_TOKEN"',
      scenario,
      env: { TOOL_TOKEN: secret, OPENAI_API_KEY: 'sk-judge-0123456789abcdefghij', OTHER_SETTING: 'not-for-agents' },
    });
    const trial = onlyTrial(run);
    expect(trial.interaction).toMatchObject({ total_commands: 1 });
    const folder = join(run.folder, '.assay');
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name))));
    const transcript = await readFile(join(folder, 'artifacts', trial.artifacts ?? '', 'transcript.raw.txt'), 'utf8');
    expect(transcript).toContain('token is [redacted]');
    expect(transcript).not.toContain('sk-judge');
    expect(transcript).not.toContain('not-for-agents');
    expect(files.length).toBeGreaterThan(8);
    const everything = [...texts, await storedBytes(run.folder)];
    expect(everything.filter((bytes) => bytes.includes(secret))).toEqual([]);
    expect(run.stdout).not.toContain(secret);
  });
});

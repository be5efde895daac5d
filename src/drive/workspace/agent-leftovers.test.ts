import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { type AgentTrial, agentTrial } from '../../testing/fakes/workspace/agent-trial.ts';
import { processesRunning } from '../../testing/fakes/workspace/running-commands.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import type { AgentExit, AgentProcess } from '../agents/agent.ts';
import { findIsolation, IsolationProbes } from './find-isolation.ts';

const probes = new IsolationProbes();
const tiers = await Promise.all(
  (['none', 'process', 'bubblewrap'] as const).map(async (tier) => {
    const probed = await probes.probe(tier);
    return { tier, problem: 'problem' in probed ? probed.problem : '' };
  }),
);

/** Shell commands that start a process which sleeps for the given number of seconds, and return. */
const shapes: Readonly<Record<string, (mark: string) => string>> = {
  'a child in the background': (mark) => `sleep ${mark} &`,
  'a daemon that was forked twice': (mark) => `(sh -c 'sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 </dev/null &);`,
  'its own session': (mark) => `setsid sh -c 'sleep ${mark}; sleep ${mark}' &`,
  'a child that ignores hang-ups': (mark) => `nohup sleep ${mark} >/dev/null 2>&1 &`,
  'a tree that ignores SIGTERM': (mark) => `sh -c "trap '' TERM; sleep ${mark}; sleep ${mark}" &`,
  'a daemon that ignores SIGTERM': (mark) => `setsid sh -c "trap '' TERM; sleep ${mark}; sleep ${mark}" &`,
};
/** Nothing connects it to the trial any more, save a namespace. */
const cutLoose = (mark: string): string => `(env -i /usr/bin/setsid /bin/sleep ${mark} >/dev/null 2>&1 </dev/null &);`;

const endings: Readonly<Record<string, (trial: AgentTrial, agent: AgentProcess) => void>> = {
  'its time is up': ({ deadline }) => deadline.abort(),
  'it is stopped': (_, agent) => agent.stop(),
  'it ends by itself': (_, agent) => agent.write('go\n'),
};

/** Waits in the command until its process is running, to have something to end. */
async function endWith(trial: AgentTrial, shape: string, ending: string): Promise<AgentExit> {
  const { start, lines, mark } = trial;
  const command = (shapes[shape] ?? cutLoose)(mark);
  const agent = start(`${command} echo started; read word; exit 5`, { stdin: 'open' });
  await expect.poll(() => lines).toContain('stdout: started');
  await expect.poll(() => processesRunning(`sleep ${mark}`).length).toBeGreaterThan(0);
  endings[ending]?.(trial, agent);
  return agent.ended;
}

for (const { tier, problem } of tiers) {
  const title = `what an agent leaves running, isolation ${tier}${problem && ` (skipped: ${problem})`}`;
  describe.skipIf(problem !== '' || process.platform !== 'linux')(title, () => {
    const all = tier === 'none' ? Object.keys(shapes) : [...Object.keys(shapes), 'a daemon without an environment'];
    const cases = all.flatMap((shape) => Object.keys(endings).map((ending) => [shape, ending] as const));

    it.each(cases)('%s is gone when %s', async (shape, ending) => {
      const trial = agentTrial(await temporaryFolder(), await findIsolation(tier, probes));
      const exit = await endWith(trial, shape, ending);
      expect(exit).toMatchObject({ timedOut: ending === 'its time is up' });
      if (ending === 'it ends by itself') expect(exit.exitCode).toBe(5);
      await expect.poll(() => processesRunning(`sleep ${trial.mark}`)).toEqual([]);
    });

    it.skipIf(tier === 'none')(
      `the agent is gone when the program that started it is killed${tier === 'none' ? ' (skipped: takes a namespace)' : ''}`,
      async () => {
        const folder = await temporaryFolder({ 'home/a': '', 'tmp/a': '' });
        const folders = { directory: folder, home: `${folder}/home`, tmp: `${folder}/tmp`, writable: [] };
        const mark = String(randomInt(1e8, 1e9));
        const command = `echo up; exec sleep ${mark}`;
        const argv = (await findIsolation(tier, probes)).wrap(['/bin/sh', '-c', command], folders);
        const script = "child_process.spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' })";
        const starter = spawn(process.execPath, ['-e', script, ...argv], { cwd: folder });
        await once(starter.stdout, 'data');
        const asleep = (): number[] => processesRunning(`sleep ${mark}`).filter((pid) => pid !== starter.pid);
        expect(asleep()).not.toEqual([]);
        starter.kill('SIGKILL');
        await expect.poll(asleep).toEqual([]);
      },
    );
  });
}

describe('what an agent leaves running', () => {
  const marks: string[] = [];
  afterAll(() => {
    for (const mark of marks) for (const pid of processesRunning(`sleep ${mark}`)) process.kill(pid, 'SIGKILL');
  });

  it('may outlive it without isolation when it has shed its group, session and environment', async () => {
    const trial = agentTrial(await temporaryFolder());
    marks.push(trial.mark);
    await endWith(trial, 'a daemon without an environment', 'it is stopped');
    expect(processesRunning(`sleep ${trial.mark}`)).toHaveLength(1);
  });
});

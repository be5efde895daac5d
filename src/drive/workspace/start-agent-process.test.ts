import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentTrial, agentTrial } from '../../testing/fakes/workspace/agent-trial.ts';
import { processesRunning } from '../../testing/fakes/workspace/running-commands.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { findIsolation, IsolationProbes } from './find-isolation.ts';

const probes = new IsolationProbes();
const tiers = await Promise.all(
  (['none', 'process', 'bubblewrap'] as const).map(async (tier) => {
    const probed = await probes.probe(tier);
    return { tier, problem: 'problem' in probed ? probed.problem : '' };
  }),
);

for (const { tier, problem } of tiers) {
  const title = `an agent's process, isolation ${tier}${problem && ` (skipped: ${problem})`}`;
  describe.skipIf(problem !== '')(title, () => {
    async function trial(): Promise<AgentTrial> {
      return agentTrial(await temporaryFolder(), await findIsolation(tier, probes));
    }

    it('hands on lines of both channels, and keeps them in the transcript', async () => {
      const { start, lines, transcript, transcriptFile } = await trial();
      const { ended } = start('read word; echo "$word"; echo oops >&2; printf "no end"', { stdin: 'hello\n' });
      expect(await ended).toEqual({ exitCode: 0, signal: null, timedOut: false });
      expect(lines.sort()).toEqual(['stderr: oops', 'stdout: hello', 'stdout: no end']);
      transcript[Symbol.dispose]();
      expect(readFileSync(transcriptFile, 'utf8').split('\n').sort()).toEqual(['', 'hello', 'no end', 'oops']);
    });

    it('talks with a process whose input stays open', async () => {
      const { start, lines } = await trial();
      const agent = start('while read word; do echo "heard $word"; done; echo over', { stdin: 'open' });
      agent.write('one\n');
      await expect.poll(() => lines).toEqual(['stdout: heard one']);
      agent.write('two\n');
      agent.closeInput();
      expect(await agent.ended).toMatchObject({ exitCode: 0 });
      agent.write('too late\n');
      expect(lines).toEqual(['stdout: heard one', 'stdout: heard two', 'stdout: over']);
    });

    it.each([
      ['exit 3', { exitCode: 3, signal: null }],
      ['kill -SEGV $$', { exitCode: null, signal: 'SIGSEGV' }],
      ['kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
      ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM' }],
      ['exit 145', { exitCode: 145, signal: null }],
    ])('reports how it ended: %s', async (command, exit) => {
      const { start, lines } = await trial();
      expect(await start(command).ended).toEqual({ ...exit, timedOut: false });
      expect(lines).toEqual([]);
    });

    it('runs in the work directory with the clean environment and what the launch adds', async () => {
      const { start, lines } = await trial();
      await start('echo "$HOME $EXTRA ${USER-unset}"; pwd', { env: { EXTRA: 'extra' } }).ended;
      expect(lines[0]).toMatch(/^stdout: \/.*\/home extra unset$/);
      expect(lines[1]).toMatch(/^stdout: \/.*\/fixture$/);
    });

    it('ends like an unknown command when the program does not exist', async () => {
      const { start, lines } = await trial();
      expect(await start('', { argv: ['/nowhere/agent'] }).ended).toMatchObject({ exitCode: 127, signal: null });
      expect(lines.join()).toContain('/nowhere/agent');
      const tooLong = 'x'.repeat(3_000_000);
      expect(await start('', { argv: ['/bin/echo', tooLong] }).ended).toMatchObject({ exitCode: 127 });
      expect(lines.at(-1)).toContain('E2BIG');
    });

    it('has time to end by itself, with what it started', async () => {
      const { start, lines, deadline, mark } = await trial();
      const child = `trap 'sleep 0.1; echo child done; exit' TERM; echo child ready; while :; do sleep 0.01; done`;
      const { ended } = start(`(${child}) & trap 'echo stopping; exit 7' TERM; : ${mark}; wait`);
      await expect.poll(() => lines).toContain('stdout: child ready');
      deadline.abort();
      expect(await ended).toEqual({ exitCode: 7, signal: null, timedOut: true });
      expect(lines).toEqual(expect.arrayContaining(['stdout: stopping', 'stdout: child done']));
    });

    it('is ended at once when its time is up before it starts', async () => {
      const { start, deadline, mark } = await trial();
      deadline.abort();
      expect(await start(`sleep ${mark}`).ended).toMatchObject({ exitCode: null, timedOut: true });
      expect(processesRunning(mark)).toEqual([]);
    });

    it('is a time-out only if the time was up first', async () => {
      const { start, lines, deadline, interrupt } = await trial();
      const agent = start(`trap 'sleep 0.2; exit 1' TERM; echo ready; while :; do sleep 0.01; done`);
      await expect.poll(() => lines).toContain('stdout: ready');
      interrupt.abort();
      deadline.abort();
      expect(await agent.ended).toEqual({ exitCode: 1, signal: null, timedOut: false });
    });

    it('is ended when its output cannot be handled, with the reason', async () => {
      const { start, mark } = await trial();
      const onLine = (): never => {
        throw new Error('not understood');
      };
      const agent = start(`echo line; sleep ${mark}`, { onLine });
      await expect(agent.ended).rejects.toThrow('not understood');
      expect(processesRunning(mark)).toEqual([]);
    });
  });
}

describe("an agent's output", () => {
  it('is read without end and kept in bounds', async () => {
    const { start, losses, transcript, transcriptFile } = agentTrial(await temporaryFolder());
    let count = 0;
    let characters = 0;
    const onLine = (line: string): void => {
      count++;
      characters += line.length;
    };
    const printed = 'head -c 100000000 /dev/zero | tr "\\0" x | fold -w 999';
    const { ended } = start(`${printed}; echo; echo the end`, { onLine });
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(characters).toBeLessThanOrEqual(64 * 1_048_576);
    expect(characters).toBeGreaterThan(64 * 1_048_576 - 1_000);
    expect(losses).toEqual([`the output of the agent was too long: ${100_102 - count} lines were dropped`]);
    transcript[Symbol.dispose]();
    expect(statSync(transcriptFile).size).toBeLessThan(16 * 1_048_576 + 100);
    expect(readFileSync(transcriptFile, 'utf8')).toMatch(/^x{999}\n.*\d bytes left out.*\nthe end\n$/s);
  });

  it('may be one endless line', async () => {
    const trial = agentTrial(await temporaryFolder());
    const { ended } = trial.start('head -c 50000000 /dev/zero; echo; echo the end');
    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(trial.lines.map((line) => line.length)).toEqual([8 + 1_048_576 + 28, 'stdout: the end'.length]);
  });

  it('is not waited for when a daemon that cannot be found holds it', async () => {
    const folder = await temporaryFolder();
    const { start, lines, mark } = agentTrial(folder);
    const { ended } = start(`env -i /usr/bin/setsid sleep ${mark} & sleep 0.2; echo done; touch ${folder}/over`);
    expect(await ended).toMatchObject({ exitCode: 0 });
    for (const pid of processesRunning(mark)) process.kill(pid, 'SIGKILL');
    expect(lines).toEqual(['stdout: done']);
    expect(existsSync(join(folder, 'over'))).toBe(true);
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventsOf, type Trace, type TraceEventOf } from '../../src/domain/trace.ts';
import { commandEnvironment } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, type ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { attacked, runShell, shellProject } from '../../src/testing/support/hostile-runs.ts';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const tiers = await testedTiers();
const crowd = repetitions({ usual: 2, inFull: 8 });
const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Lists all that it finds beside the system, and the names of its variables. */
const looks =
  'ls -A / > seen; find /tmp /root /home -mindepth 1 -maxdepth 1 ! -name "assay-*" >> seen 2>/dev/null; env | sed "s/=.*//" | grep -E "^[A-Z]" | sort >> seen; touch /tmp/mine';

/** An MCP server that does not start without a file. */
const serverThatReads = (file: string): string =>
  `grep -q words ${file} || exit 4\nread -r request; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat > /dev/null\n`;

/** A user with a HOME and a folder for temporary files. */
async function surroundings(): Promise<Record<string, string>> {
  const folder = await temporaryFolder({ 'home/secret.txt': 'of the user', 'tmp/other.txt': 'of another' });
  return { HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp'), PATH: systemPath };
}

/** The view without the time of its event, and the list that the agent wrote. */
interface Seen {
  readonly view: Omit<TraceEventOf<'view'>, 'at'>;
  readonly list: string;
}

async function seenIn(folder: string, trials: readonly ToolTrial[]): Promise<Seen[]> {
  const found = await attacked(folder, trials);
  return Promise.all(
    trials.map(async (trial) => {
      const { at: _at, ...view } = viewOf((await attacked(folder, [trial])).trace);
      return { view, list: found.left('seen', trial) };
    }),
  );
}

function viewOf(trace: Trace): TraceEventOf<'view'> {
  const [view, ...others] = eventsOf(trace, 'view');
  if (!view || others.length > 0) throw new Error(`There are ${others.length + (view ? 1 : 0)} views.`);
  return view;
}

/** Another user of this machine that may make namespaces; undefined where this test cannot become one. */
function otherUser(): number | undefined {
  const user = 54_321;
  try {
    execFileSync('setpriv', [...as(user), 'bwrap', '--ro-bind', '/', '/', 'test', '-r', resolve('package.json')]);
    return user;
  } catch {
    return undefined;
  }
}

const as = (user: number): string[] => ['--reuid', String(user), '--regid', String(user), '--clear-groups', '--'];

describe.each(tiers)('the view of an agent in the isolation %s', (tier) => {
  const project = () => shellProject({ tier, script: looks, binary: 'bin/my-tool' });

  it('is the same in every project, home and temporary folder, at every concurrency', async () => {
    const [first, second] = [await project(), await project()];
    const alone = await runTool(first, [], await surroundings());
    const crowded = await runTool(
      second,
      ['--repeat', String(crowd), '--concurrency', String(crowd)],
      await surroundings(),
    );
    const [expected, ...others] = [...(await seenIn(first, alone.trials)), ...(await seenIn(second, crowded.trials))];
    expect(others).toHaveLength(crowd);
    for (const { view, list } of others) {
      expect(view).toEqual(expected?.view);
      // Where the whole machine is visible, others make files in it meanwhile.
      if (tier === 'bubblewrap') expect(list).toBe(expected?.list);
    }
    expect(expected?.view).toMatchObject({ root: tier === 'bubblewrap' ? 'system' : 'machine', network: 'open' });
    expect(expected?.view.places).toContainEqual({ path: '<assay:work>', mode: 'write' });
    expect(expected?.view.variables).toEqual(expect.arrayContaining(['HOME', 'PATH', 'TMPDIR']));
    // It is shown with the trial, and a difference is named by a comparison.
    const { stdout: shown } = await assay(['show', onlyTrial(alone).trialId], { cwd: first });
    expect(shown).toContain('writes ');
    expect(shown).toContain('<assay:work>');
    await runTool(first, [], { ...(await surroundings()), LC_ALL: 'C.UTF-8' });
    const { stdout: compared } = await assay(['compare', 'latest~1', 'latest'], { cwd: first });
    expect(compared).toContain('the agent did not see the same: variable LC_ALL only in B: Items');
  });

  it.skipIf(!repeatsInFull || tier !== 'bubblewrap' || otherUser() === undefined)(
    'is the same for another user',
    async () => {
      const user = otherUser() ?? 0;
      const mine = await project();
      const [expected] = await seenIn(mine, (await runTool(mine, [], await surroundings())).trials);
      const theirs = await project();
      const env = await surroundings();
      execFileSync('chown', ['-R', `${user}:${user}`, theirs, join(env.HOME ?? '', '..')]);
      const command = [process.execPath, resolve('bin/assay.js'), 'run', 'scenario.yaml', '--json', '--no-cache'];
      const printed = execFileSync('setpriv', [...as(user), ...command], {
        cwd: theirs,
        env: commandEnvironment({ cwd: theirs, env }) as NodeJS.ProcessEnv,
        encoding: 'utf8',
      });
      const [seen] = await seenIn(theirs, JSON.parse(printed).trials);
      expect(seen).toEqual(expected);
    },
  );
});

describe.runIf(tiers.includes('bubblewrap'))('what an agent does not see', () => {
  /** A folder of the machine that is neither in the project nor in the HOME of the run, nor beside the program. */
  function folderOfMachine(): string {
    const folder = mkdtempSync(join(homedir(), '.assay-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    return folder;
  }

  it('the temporary folder of the machine, whatever names it', async () => {
    const planted = mkdtempSync('/tmp/assay-planted-');
    onTestFinished(() => rmSync(planted, { recursive: true, force: true }));
    const tool = `#!/bin/sh\nls \${TMPDIR:-/tmp} /tmp\n`;
    const { left } = await runShell({
      tier: 'bubblewrap',
      script: 'sh tool > listed; ls /tmp >> listed; echo x > /tmp/mine && cat "$TMPDIR/mine" > written',
      files: { 'template/tool': tool },
      binary: 'my-tool\n  env: { SCRATCH: /tmp }',
    });
    expect(left('listed')).not.toContain('assay-planted-');
    expect(left('written')).toBe('x\n');
  });

  it.runIf(repeatsInFull)(
    'a folder of the machine that nothing declares; a tool that needs it is an error before the agent starts',
    async () => {
      const data = folderOfMachine();
      mkdirSync(join(data, 'deep/er'), { recursive: true });
      for (const name of ['deep/er/words.txt', 'other.txt']) writeFileSync(join(data, name), 'words');
      const needy = `#!/bin/sh\ngrep -q words ${join(data, 'deep/er/words.txt')} || exit 4\n`;
      const gates = '[{ type: file_exists, path: ended }]';
      const hidden = {
        tier: 'bubblewrap' as const,
        script: `cat ${data}/other.txt > seen`,
        gates,
        binary: 'bin/needy',
      };
      const refused = await shellProject({ ...hidden, files: { 'bin/needy': needy } });
      chmodSync(join(refused, 'bin/needy'), 0o755);
      const { fault } = onlyTrial(await runTool(refused, [], await surroundings()));
      expect(fault).toMatchObject({ code: 'TARGET_NOT_LOADED', blame: 'user' });
      expect(fault?.message).toContain(`hides ${join(data, 'deep/er/words.txt')}`);
      const config = `agent: scripted\nagents: { scripted: { script: script.yaml } }\nvisible: [${join(data, 'deep')}]\n`;
      const allowed = await shellProject({ ...hidden, files: { 'bin/needy': needy, 'assay.config.yaml': config } });
      chmodSync(join(allowed, 'bin/needy'), 0o755);
      const trial = onlyTrial(await runTool(allowed, [], await surroundings()));
      expect(trial.outcome, JSON.stringify(trial.fault)).toBe('pass');
      const { left, trace } = await attacked(allowed, [trial]);
      expect(left('seen')).toBe('');
      expect(viewOf(trace).places).toContainEqual({ path: join(data, 'deep'), mode: 'read' });
    },
  );

  it.runIf(repeatsInFull)('the rest of the project and the folders that the script of an agent names', async () => {
    const secrets = folderOfMachine();
    writeFileSync(join(secrets, 'secret.txt'), 'of the user');
    const folder = await temporaryFolder({
      'gates/check.sh': 'test -f ended\n',
      'solution/solve.sh': 'touch ended\n',
      'scenario.yaml': JSON.stringify({
        name: 'Look',
        target: { binary: 'true' },
        task: { prompt: 'Look.' },
        evaluation: { gates: [{ type: 'file_exists', path: 'ended' }] },
      }),
    });
    writeFileSync(join(folder, 'agent.sh'), `ls ${folder} ${folder}/gates ${secrets} > found 2>&1; touch ended\n`);
    const agents = { mine: { command: `/bin/sh ${folder}/agent.sh`, format: 'text' } };
    writeFileSync(join(folder, 'assay.config.yaml'), JSON.stringify({ isolation: 'bubblewrap', agents }));
    const env = await surroundings();
    const printed = await assay(['run', '--json', '--no-cache', '--agent', 'mine'], { cwd: folder, env });
    const { left, trial } = await attacked(folder, JSON.parse(printed.stdout).trials);
    expect(trial.outcome, JSON.stringify(trial.fault)).toBe('pass');
    expect(left('found')).toContain('No such file');
    for (const hidden of ['check.sh', 'solution', 'secret.txt']) expect(left('found')).not.toContain(hidden);
  });

  it.runIf(repeatsInFull)(
    'a folder of the machine that an MCP server needs is named before the agent starts',
    async () => {
      const data = folderOfMachine();
      writeFileSync(join(data, 'words.txt'), 'words');
      const server = join(
        await temporaryFolder({ 'server.sh': serverThatReads(join(data, 'words.txt')) }),
        'server.sh',
      );
      const attack = {
        tier: 'bubblewrap' as const,
        script: 'true',
        binary: 'bin/my-tool',
        more: `mcp_servers: { words: { command: /bin/sh, args: [${server}] } }\n`,
      };
      const needy = await shellProject(attack);
      const refused = onlyTrial(await runTool(needy, [], await surroundings()));
      const { trial, trace } = await attacked(needy, [refused]);
      expect(trial.fault).toMatchObject({ code: 'TARGET_NOT_LOADED', blame: 'user' });
      expect(trial.fault?.message).toContain(`hides ${join(data, 'words.txt')}`);
      expect(eventsOf(trace, 'agent-started')).toEqual([]);
      const config = `agent: scripted\nagents: { scripted: { script: script.yaml } }\nvisible: [${data}]\n`;
      const allowed = await shellProject({ ...attack, files: { 'assay.config.yaml': config } });
      const { outcome, fault } = onlyTrial(await runTool(allowed, [], await surroundings()));
      expect(outcome, JSON.stringify(fault)).toBe('pass');
    },
  );
});

import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { agentWorld } from './agent-world.ts';
import { endpointWorld, programWorld } from './called-worlds.ts';
import { conversationWorld } from './conversation-world.ts';
import { judgedWorld } from './judged-world.ts';
import { honestName, type Lie, nameOf, scenarioFiles, type World } from './lie.ts';
import { mcpWorld } from './mcp-world.ts';
import { readViews, reporters, type Shown, type TrialDocument, trialsView, type View } from './views.ts';

const worlds: Readonly<Record<string, () => World | Promise<World>>> = {
  'an endpoint that is called': endpointWorld,
  'a program that is called': programWorld,
  'a conversation': conversationWorld,
  'a judged call': judgedWorld,
  'an agent task': agentWorld,
  'a suite of an MCP server': mcpWorld,
};

const fewestCells = 400;
const cells: string[] = [];

describe('a world that lies', () => {
  it.each(Object.keys(worlds))(
    'makes nothing green and invents no figure: %s',
    async (name) => {
      const world = await worlds[name]?.();
      if (!world) throw new Error(`There is no world "${name}".`);
      const { views, exitCode } = await viewsOf(world);
      for (const [label, view] of Object.entries(views))
        expect(view.get(honestName)?.outcome, `${label} of the honest scenario`).toBe('pass');
      const falsehoods = world.lies.flatMap((lie) =>
        Object.entries(views).flatMap(([label, view]) => judge(lie, label, view)),
      );
      expect(falsehoods).toEqual([]);
      expect(exitCode).not.toBe(0);
      for (const label of Object.keys(views))
        cells.push(...world.lies.map((lie) => `${name}, ${label}: ${nameOf(lie)}`));
    },
    180_000,
  );

  it(`has at least ${fewestCells} cells`, () => {
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.length).toBeGreaterThanOrEqual(fewestCells);
  });
});

/** What a view says that was not observed. Of many scenarios the console lists only the first. */
function judge(lie: Lie, label: string, view: View): string[] {
  const shown = view.get(nameOf(lie));
  const at = `${label}: ${nameOf(lie)}`;
  if (!shown) return label === 'console' ? [] : [`${at}: is missing`];
  const greens = shown.outcome === 'pass' && !lie.mayPass ? [`${at}: passed`] : [];
  return [...greens, ...inventions(lie, shown).map((figure) => `${at}: ${figure}`)];
}

function inventions({ figure }: Lie, { figures }: Shown): string[] {
  if (!figure || !figures || !(figure.metric in figures)) return [];
  const value = figures[figure.metric];
  return value === null || value === figure.honest ? [] : [`${figure.metric} is ${value}`];
}

/** Runs a world once with every reporter, and reads it back from the reports and from the server. */
async function viewsOf(world: World): Promise<{ views: Record<string, View>; exitCode: number | null }> {
  const cwd = await temporaryFolder({ ...scenarioFiles(world), ...world.files });
  for (const name of Object.keys(world.files).filter((file) => /\.sh$|^bin\//.test(file)))
    await chmod(join(cwd, name), 0o755);
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, OPENAI_API_KEY: '', COLUMNS: '240' };
  const args = ['run', '--no-cache', '--reporter', reporters.join(','), '--output', 'reports'];
  const result = await assay(args, { cwd, env });
  const { runId } = JSON.parse(await readFile(join(cwd, 'reports', 'run.json'), 'utf8')) as { runId: string };
  const views = { ...(await readViews(join(cwd, 'reports'), result)), api: await apiView(cwd, runId) };
  return { views, exitCode: result.exitCode };
}

/** The trials of a run as the web server gives them to its pages. */
async function apiView(cwd: string, runId: string): Promise<View> {
  const child = startAssay(['serve', '--json', '--port', '0'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(String(text)));
    child.once('close', (code) => reject(new Error(`The server ended with ${code}.`)));
  });
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const get = async (path: string) =>
    (await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } })).json();
  const { items } = (await get(`/api/runs/${runId}/trials?limit=200`)) as { items: { trialId: string }[] };
  const trials: TrialDocument[] = [];
  for (const { trialId } of items)
    trials.push(((await get(`/api/trials/${trialId}`)) as { record: TrialDocument }).record);
  child.kill('SIGTERM');
  return trialsView(trials);
}

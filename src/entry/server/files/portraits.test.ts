import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import type { ScenarioList } from '../api/project.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const personas = {
  ann: { goal: 'buy', portrait: 'images/ann.png' },
  bob: { goal: 'sell' },
  eve: { goal: 'spy', portrait: 'images/script.png' },
  mallory: { goal: 'escape', portrait: '../outside.png' },
  trudy: { goal: 'escape', portrait: 'images/link.png' },
  large: { goal: 'fill', portrait: 'images/large.png' },
  drawn: { goal: 'run', portrait: 'images/drawn.svg' },
};
const talk =
  'name: Talk\nconnector: { type: http, baseUrl: "http://127.0.0.1:9" }\npersona: ann\nsuccessCriteria: done\n';

describe('portraits', () => {
  let served: ServedProject;
  let elsewhere: string;
  beforeAll(async () => {
    served = await serveFiles({
      'assay.config.json': JSON.stringify({ scenarios: ['scenarios'], personas }),
      'images/script.png': svg,
      'images/drawn.svg': svg,
      'scenarios/talk.yaml': talk,
    });
    await writeFile(join(served.folder, 'images', 'ann.png'), png);
    await writeFile(join(served.folder, 'images', 'large.png'), Buffer.concat([png, Buffer.alloc(1_000_000)]));
    elsewhere = await mkdtemp(join(tmpdir(), 'assay-portrait-'));
    await writeFile(join(elsewhere, 'outside.png'), png);
    await symlink(join(elsewhere, 'outside.png'), join(served.folder, 'images', 'link.png'));
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await rm(elsewhere, { recursive: true });
  });

  const portraitOf = (name: string) => served.request(`/api/personas/${name}/portrait`);

  it('are images of the project, sent as what their bytes are and as nothing that could run', async () => {
    const response = await portraitOf('ann');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true);
  });

  it.each([
    ['eve', 400, 'not a PNG, JPEG, GIF or WebP image'],
    ['mallory', 400, 'must not lead out of the project'],
    ['trudy', 400, 'through a link'],
    ['large', 400, 'larger than 1 MB'],
    ['drawn', 400, 'a file ends in .png'],
    ['bob', 404, 'names no portrait'],
    ['stranger', 404, 'names no portrait'],
  ])('are refused: %s', async (name, status, why) => {
    const response = await portraitOf(name);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: string }).error).toContain(why);
  });

  it('are checked before a persona is written, and mean nothing to its scenarios', async () => {
    const { revision } = await served.get<{ revision: string }>('/api/personas');
    const write = (portrait: string) =>
      served.send('PUT', '/api/personas/bob', { value: { goal: 'sell', portrait }, revision });
    const refused = await write('images/drawn.svg');
    expect(refused.status).toBe(422);
    expect(JSON.stringify(await refused.json())).toContain('a file ends in .png');
    expect((await write('images/ann.png')).status).toBe(200);
    const { items, broken } = await served.get<ScenarioList>('/api/scenarios');
    expect([items.map(({ name }) => name), broken]).toEqual([['Talk'], []]);
  });
});

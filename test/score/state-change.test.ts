import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolProject } from '../../src/testing/support/cli-tool-project.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const postgres = usePostgres();

interface Result {
  readonly type: string;
  readonly state: string;
  readonly reason: string;
}

/** A tool that does to `shop.db` what its input says. */
const sqlTool = `import { DatabaseSync } from '${import.meta.resolve('@photostructure/sqlite')}';
export function exec({ sql }) {
  const database = new DatabaseSync(new URL('./shop.db', import.meta.url).pathname);
  database.exec(sql ?? '');
  database.close();
  return { done: true };
}
`;

/** A tool that runs the SQL of its input. */
const postgresTool = (address: string): string => `import pg from '${import.meta.resolve('pg')}';
const client = new pg.Client({ connectionString: ${JSON.stringify(address)} });
export const book = ({ sql }) => client.connect().then(() => client.query(sql)).finally(() => client.end()).then(() => ({}));
`;

const schema = `create table orders (id integer primary key, status text);
insert into orders values (1, 'open'), (2, 'open'), (9007199254740993, 'open');
create table notes (text text);`;

/** A project whose tool changes a database, with one case for each text of SQL. */
async function shop(config: object, ...statements: readonly string[]): Promise<string> {
  const scenario = {
    name: 'Shop',
    call: { module: './tool.mjs', export: 'exec' },
    cases: statements.map((sql) => ({ input: { sql } })),
    evaluators: [{ type: 'state-change', config }],
  };
  const folder = await temporaryFolder({ 'tool.mjs': sqlTool, 'shop.json': JSON.stringify(scenario) });
  inDatabase(folder, schema);
  return folder;
}

function inDatabase(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'shop.db'));
  database.exec(sql);
  database.close();
}

async function run(folder: string, ...args: readonly string[]) {
  const ended = await assayInProcess(['run', '--json', ...args], { cwd: folder });
  const document = ended.stdout === '' ? undefined : JSON.parse(ended.stdout);
  return { ...ended, document };
}

/** How the only trial ended, and why. */
async function only(folder: string): Promise<Result & { outcome: string; code?: string }> {
  const { document, stderr } = await run(folder);
  expect(document, stderr).toBeDefined();
  const [{ outcome, fault, evaluatorResults }] = document.trials;
  const found = evaluatorResults.find(({ type }: Result) => type === 'state-change');
  return { outcome, ...found, code: fault?.code ?? found?.fault?.code };
}

const orders = { sqlite: 'shop.db', query: 'select * from orders' };
const cancel = "update orders set status = 'cancelled' where id = 1";
const cancelled = { changed: [{ from: { status: 'open' }, to: { id: 1, status: 'cancelled' }, columns: ['status'] }] };

describe('a database that a tool changes', () => {
  it('passes what changed as wanted, and nothing else', async () => {
    expect(await only(await shop({ state: orders, ...cancelled }, cancel))).toMatchObject({
      outcome: 'pass',
      reason: 'As wanted: rows: 1 changed',
    });
  });

  it.each([
    ['nothing was done', '', 'no row changed that is'],
    [
      'more was done',
      `${cancel}; delete from orders where id = 2`,
      'removed, and not wanted: {"id":2,"status":"open"}',
    ],
    [
      'another column differs',
      "update orders set status = 'shipped' where id = 1",
      'to.status is "shipped", wanted "cancelled"',
    ],
    ['it was the wrong row', "update orders set status = 'cancelled' where id = 2", 'to.id is 2, wanted 1'],
  ])('fails where %s', async (_case, sql, reason) => {
    const found = await only(await shop({ state: orders, ...cancelled }, sql));
    expect(found).toMatchObject({ outcome: 'fail', reason: expect.stringContaining(reason) });
  });

  it('wants no change where none is written, in any table', async () => {
    const state = { sqlite: 'shop.db' };
    expect((await only(await shop({ state }, ''))).outcome).toBe('pass');
    const found = await only(await shop({ state }, "insert into notes values ('hm')"));
    expect(found).toMatchObject({ outcome: 'fail', reason: 'added, and not wanted: {"table":"notes","text":"hm"}' });
  });

  it('lets other rows differ where that is written', async () => {
    const config = { state: orders, ...cancelled, others: 'allowed' };
    expect((await only(await shop(config, `${cancel}; delete from orders where id = 2`))).outcome).toBe('pass');
    expect((await only(await shop(config, 'delete from orders where id = 2'))).outcome).toBe('fail');
  });

  it('keeps the digits of wide identifiers, and leaves ignored columns out', async () => {
    const wide = { state: orders, removed: [{ id: '9007199254740993' }] };
    expect((await only(await shop(wide, 'delete from orders where id > 5'))).outcome).toBe('pass');
    const ignored = { state: { ...orders, ignore: 'status' } };
    expect((await only(await shop(ignored, cancel))).outcome).toBe('pass');
  });

  it('sees only the changes of its own trial, however many run', async () => {
    const added = { added: [{ status: 'new' }] };
    const folder = await shop({ state: orders, ...added }, "insert into orders (status) values ('new')");
    const { document } = await run(folder, '--repeat', '6', '--concurrency', '6');
    expect(document.totals).toMatchObject({ planned: 6, pass: 6 });
  });

  it('is scored again by other rows without the database', async () => {
    const folder = await shop({ state: orders, ...cancelled }, cancel);
    await run(folder);
    const text = await readFile(join(folder, 'shop.json'), 'utf8');
    inDatabase(folder, 'drop table orders');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(folder, 'shop.json'), text.replace('"cancelled"', '"shipped"'));
    const again = await assayInProcess(['score', 'run', 'latest', '--json'], { cwd: folder });
    expect(JSON.parse(again.stdout).trials ?? JSON.parse(again.stdout)).toMatchObject([{ outcome: 'fail' }]);
  });
});

describe('a state that cannot be read', () => {
  it('before the trial is an error, and the target is not tried', async () => {
    const folder = await shop({ state: { sqlite: 'other.db' } }, cancel);
    const found = await only(folder);
    expect(found).toMatchObject({ outcome: 'error', code: 'STATE_UNREADABLE' });
    const database = new DatabaseSync(join(folder, 'shop.db'));
    expect(database.prepare('select status from orders where id = 1').get()).toEqual({ status: 'open' });
    database.close();
  });

  it.each([
    ['is gone', 'drop table orders', 'no such table: orders'],
    [
      'never ends',
      'drop table orders; create view orders as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id from n where i < 0',
      'it did not end within 1 seconds',
    ],
    [
      'has a key twice',
      'update orders set status = 1 where id = 1; insert into orders values (7, 1)',
      'two rows have the key',
    ],
  ])('after the trial, because it %s, is neither pass nor fail', async (_case, sql, reason) => {
    const state = {
      ...orders,
      ...(reason.startsWith('it did not end') && { timeoutSecs: 1 }),
      ...(reason.startsWith('two') && {
        key: 'status',
        query: 'select distinct id, status from orders where id < 2 or status = 1',
      }),
    };
    for (const wanted of [{}, cancelled, { ...cancelled, others: 'allowed' }]) {
      const found = await only(await shop({ state, ...wanted }, sql));
      expect(found).toMatchObject({ outcome: 'error', state: 'error', code: 'NOT_OBSERVED' });
      expect(found.reason).toContain(reason);
    }
  });

  it('is refused where the file asserts nothing', async () => {
    const folder = await shop({ state: orders, others: 'allowed' }, '');
    const { exitCode, stderr } = await run(folder);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nothing is asserted')]);
  });
});

describe('states of other kinds', () => {
  it('an HTTP backend behind a conversation, with rows by a path and a header', async () => {
    const tickets = [{ id: 'T1', state: 'open', seats: 2 }];
    const url = await listen(
      createServer((request, response) => {
        if (request.url === '/tickets') {
          const isAllowed = request.headers['x-key'] === 'k-1';
          return void response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify({ page: { items: tickets } }));
        }
        tickets.push({ id: 'T2', state: 'booked', seats: 4 });
        response.end(JSON.stringify({ messages: [{ role: 'assistant', content: 'Booked.' }] }));
      }),
      'http',
    );
    const state = { url: `${url}/tickets`, headers: { 'x-key': '${TICKETS_KEY}' }, rows: '$.page.items[*]' };
    const folder = await temporaryFolder({
      'talk.json': JSON.stringify({
        name: 'Talk',
        connector: { type: 'http', baseUrl: url, config: { path: '/chat' } },
        messages: [{ role: 'user', content: 'Book {{seats}} seats' }],
        dataset: 'seats.json',
        evaluators: [{ type: 'state-change', config: { state, added: [{ seats: '{{seats}}', state: 'booked' }] } }],
      }),
      'seats.json': JSON.stringify([{ input: { seats: 4 } }]),
    });
    const env = { TICKETS_KEY: 'k-1' };
    const passed = await assayInProcess(['run', '--json'], { cwd: folder, env });
    expect(JSON.parse(passed.stdout).trials, passed.stderr).toMatchObject([{ outcome: 'pass' }]);
    const refused = await assayInProcess(['run', '--json'], { cwd: folder, env: { TICKETS_KEY: 'wrong' } });
    expect(JSON.parse(refused.stdout).trials).toMatchObject([
      { outcome: 'error', fault: { code: 'STATE_UNREADABLE', message: expect.stringContaining('HTTP 401') } },
    ]);
  });

  it('a command and a folder of the work directory, after the setup and around the agent', async () => {
    const scenario = `name: Items
target: { binary: my-tool }
task: { prompt: Create one item. }
setup: { commands: [my-tool create --title old] }
evaluators:
  - { type: state-change, config: { state: { command: my-tool list, place: work }, added: [{ title: new }] } }
  - type: state-change
    config:
      state: { folder: .my-tool, place: work }
      changed: [{ from: { text: "old\\n" }, to: { path: store.db, text: { contains: new } } }]
  - { type: state-change, config: { state: { sqlite: none.db, place: work, absent: empty } } }
`;
    const folder = await toolProject({ scenario, script: 'steps:\n  - { run: "my-tool create --title new" }\n' });
    const { trials, stderr } = await runTool(folder);
    expect(trials, stderr).toMatchObject([{ outcome: 'pass' }]);
    const [{ evaluatorResults }] = trials as unknown as [{ evaluatorResults: readonly Result[] }];
    const states = evaluatorResults.filter(({ type }: Result) => type === 'state-change');
    expect(states.map(({ state }: Result) => state)).toEqual(['pass', 'pass', 'pass']);
  });

  it.runIf(hasPostgres)('a Postgres query, which cannot write', async () => {
    const address = await postgres.newDatabase();
    await postgres.query(
      address,
      'create table seats (id bigint primary key, price numeric, at timestamptz default now())',
    );
    const tool = postgresTool(address);
    const state = { postgres: '${SHOP_DB}', query: 'select * from seats', ignore: ['at'] };
    const scenario = (query: string) =>
      JSON.stringify({
        name: 'Seats',
        call: { module: './tool.mjs', export: 'book' },
        input: { sql: 'insert into seats values (9007199254740993, 12.50)' },
        evaluators: [
          {
            type: 'state-change',
            config: { state: { ...state, query }, added: [{ id: '9007199254740993', price: 12.5 }] },
          },
        ],
      });
    const folder = await temporaryFolder({ 'tool.mjs': tool, 'seats.json': scenario(state.query) });
    const ended = await assayInProcess(['run', '--json'], { cwd: folder, env: { SHOP_DB: address } });
    expect(JSON.parse(ended.stdout).trials, ended.stderr).toMatchObject([{ outcome: 'pass' }]);
    const writing = await temporaryFolder({
      'tool.mjs': tool,
      'seats.json': scenario('delete from seats returning *'),
    });
    const refused = await assayInProcess(['run', '--json'], { cwd: writing, env: { SHOP_DB: address } });
    const message = expect.stringContaining('read-only transaction');
    expect(JSON.parse(refused.stdout).trials).toMatchObject([{ fault: { code: 'STATE_UNREADABLE', message } }]);
    expect(await postgres.query(address, 'select id from seats')).toHaveLength(1);
  });

  it('what an MCP tool left, in the built program', async () => {
    const server = `import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
writeFileSync('state/started.json', '{}');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') send(id, { tools: [{ name: 'save', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') { writeFileSync('state/saved.json', JSON.stringify(params.arguments)); send(id, { content: [{ type: 'text', text: 'saved' }] }); }
  else if (id !== undefined) send(id, {});
}`;
    const scenario = {
      name: 'Save',
      call: { server: { transport: 'stdio', command: 'node', args: ['server.mjs'] }, tool: 'save' },
      input: { a: 1 },
      evaluators: [
        {
          type: 'state-change',
          config: { state: { folder: 'state' }, added: [{ path: 'saved.json', text: '{"a":1}' }] },
        },
      ],
    };
    const files = { 'server.mjs': server, 'save.json': JSON.stringify(scenario), 'state/keep': '' };
    const folder = await temporaryFolder(files);
    const ended = await assay(['run', '--json'], { cwd: folder });
    expect(JSON.parse(ended.stdout).trials, ended.stderr).toMatchObject([{ outcome: 'pass' }]);
  });
});

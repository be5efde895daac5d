import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const example = fileURLToPath(new URL('../../examples/cases', import.meta.url));

interface Coverage {
  readonly tool: string;
  readonly calls: number;
  readonly argumentsUsed: number;
  readonly argumentsTotal: number;
  readonly boundaries: number;
  readonly errorPaths: number;
  readonly prompts: number;
  readonly note: string | null;
}

interface Document {
  readonly kind?: string;
  readonly files: string[];
  readonly cases: Record<string, number>;
  readonly duplicates: number;
  readonly rejected: number;
  readonly coverage: Coverage[];
}

/** Generates cases; the document where there is one. */
async function generate(cwd: string, from: string, args: readonly string[] = [], env = {}) {
  const result = await assayInProcess(['generate', '--from', from, '--json', ...args], { cwd, env });
  return { ...result, document: (result.stdout === '' ? {} : JSON.parse(result.stdout)) as Document };
}

async function outcomesOf(cwd: string, args: readonly string[], env = {}): Promise<Record<string, string>> {
  const { stdout, stderr } = await assayInProcess(['run', ...args, '--json'], { cwd, env });
  if (stdout === '') throw new Error(stderr);
  const { trials } = JSON.parse(stdout) as { trials: { scenario: string; caseId: string; outcome: string }[] };
  return Object.fromEntries(trials.map(({ scenario, caseId, outcome }) => [`${scenario} | ${caseId}`, outcome]));
}

const ordersProject = async (): Promise<string> =>
  temporaryFolder({
    'assay.config.yaml': 'scenarios: [scenarios]\n',
    'scenarios/.keep': '',
    'server.mjs': await readFile(join(example, 'server.mjs'), 'utf8'),
  });

describe('cases from an MCP server', () => {
  it('cover tools, arguments, limits and errors; tools that change something only when they are named', async () => {
    const cwd = await ordersProject();
    const { document, stderr } = await generate(cwd, 'node server.mjs');
    expect(stderr).toBe('');
    expect(document.files).toEqual(['scenarios/generated/server.yaml']);
    const byTool = Object.fromEntries(document.coverage.map((row) => [row.tool, row]));
    expect(byTool.list_orders).toMatchObject({ argumentsUsed: 2, argumentsTotal: 2, note: null });
    expect(byTool.list_orders?.boundaries).toBeGreaterThanOrEqual(3);
    expect(byTool.list_orders?.errorPaths).toBeGreaterThanOrEqual(6);
    expect(byTool.cancel_order).toMatchObject({
      calls: 0,
      prompts: 0,
      note: expect.stringContaining('not marked read-only'),
    });
    expect(document.cases).toMatchObject({ ambiguous: 2, negative: 3 });
    const outcomes = await outcomesOf(cwd, ['--tags', 'usual,boundary,error-path']);
    expect(Object.values(outcomes)).toEqual(['pass', 'pass', 'pass']);

    const first = await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8');
    expect((await generate(cwd, 'node server.mjs')).stderr).toContain('Use --force to replace generated files');
    await generate(cwd, 'node server.mjs', ['--force']);
    expect(await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8')).toBe(first);
    const all = await generate(cwd, 'node server.mjs', ['--force', '--call', 'cancel_order', '--calls-per-tool', '4']);
    expect(all.document.coverage.map(({ calls }) => calls)).toEqual([4, 4, 4, 4]);
  });

  it('fail on servers with the same tools that answer nothing, something else or their arguments', async () => {
    const cwd = await ordersProject();
    const more = `tools.push({ name: 'get_time', description: 'Gets the time.', inputSchema: { type: 'object' } });
tools.push({ name: 'get_status', description: 'Gets the status.', inputSchema: { type: 'object' } });
const text = (text) => ({ content: [{ type: 'text', text }] });
const free = { get_time: () => text(String(process.hrtime.bigint())), get_status: () => text('All shops are open.') };
const other = (params) => free[params.name]?.() ?? call(params);
`;
    const server = await readFile(join(cwd, 'server.mjs'), 'utf8');
    const answering = (answer: string) =>
      server
        .replace('const answers = {', `${more}const answers = {`)
        .replace("'tools/call': call", `'tools/call': ${answer}`);
    await writeFile(join(cwd, 'server.mjs'), answering('other'));
    const { document, stderr } = await generate(cwd, 'node server.mjs', ['--call-all']);
    expect(stderr).toBe('');
    const rows = Object.fromEntries(document.coverage.map((row) => [row.tool, row]));
    expect(rows.get_status).toMatchObject({ calls: 1, note: null });
    expect(rows.get_time).toMatchObject({
      calls: 0,
      note: expect.stringContaining('left out with required arguments only'),
    });
    const { toolHealthSuites } = parse(await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8'));
    const written = toolHealthSuites.flatMap(({ tests }: { tests: object[] }) => tests).length;
    expect(written).toBeGreaterThan(15);
    const passed = async (): Promise<number> => {
      const flags = ['run', '--tags', 'usual,boundary,error-path', '--json'];
      const { trials } = JSON.parse((await assayInProcess(flags, { cwd })).stdout) as {
        trials: { toolHealth: { passed: boolean }[] }[];
      };
      const tests = trials.flatMap(({ toolHealth }) => toolHealth);
      expect(tests.length).toBe(written);
      return tests.filter((test) => test.passed).length;
    };
    expect(await passed()).toBe(written);
    const standIns = [
      '() => ({ content: [] })',
      "() => text('Something else.')",
      '(params) => text(JSON.stringify(params.arguments))',
    ];
    for (const standIn of standIns) {
      await writeFile(join(cwd, 'server.mjs'), answering(standIn));
      expect([standIn, await passed()]).toEqual([standIn, 0]);
    }
  });

  it('are judged as they should be when a model uses the right tool, a similar one, or one for nothing', async () => {
    const cwd = await ordersProject();
    await generate(cwd, 'node server.mjs');
    await using model = await startScriptedModel({
      rules: [
        { when: { toolResult: '/./' }, reply: 'Done.' },
        { when: { last: 'Lookup order' }, toolCalls: [{ name: 'find_order', input: { id: 1 } }] },
        { when: { last: 'Find order' }, toolCalls: [{ name: 'find_order', input: { id: 1 } }] },
        { when: { last: 'hello' }, toolCalls: [{ name: 'list_orders', input: { state: 'shipped' } }] },
        { reply: 'You are welcome.' },
      ],
    });
    const outcomes = await outcomesOf(cwd, ['--tags', 'ambiguous,negative', '--model', 'openai/gpt-4o'], {
      ...model.environment,
      OPENAI_API_KEY: 'any',
    });
    const of = (text: string) => Object.entries(outcomes).find(([name]) => name.includes(text))?.[1];
    expect([of('find_order, rather'), of('lookup_order, rather')]).toEqual(['pass', 'fail']);
    expect([of('used 1'), of('used 2')]).toEqual(['fail', 'pass']);
  });

  it.each([
    ['a sentence', 'These are common commands used in various situations:\n\nstart here (see also: the tutorial)\n'],
    ['capitals', 'CORE COMMANDS\n'],
    ['a title in brackets', 'Basic Commands (Beginner):\n'],
  ])('find its commands below %s', async (_, heading) => {
    const lines = '  show:       Show the items\n  stock       Count the items\n';
    const cwd = await temporaryFolder({ 'help.txt': `Usage: inv <command>\n\n${heading}${lines}` });
    const { document, stderr } = await generate(cwd, 'help.txt');
    // What the commands print is not known, so a task that one of them does would hold for any program.
    expect(
      document?.coverage.map(({ tool, calls, prompts, note }) => [tool, calls, prompts, note]),
      stderr,
    ).toEqual([
      ['show', 0, 0, 'what it prints is not known from a help text alone'],
      ['stock', 0, 0, expect.stringContaining('its name')],
    ]);
    expect(document.cases).toEqual({ negative: 3 });
  });

  it('hold no secret of the command line, but the variable to set', async () => {
    const cwd = await ordersProject();
    const secret = 'a1b2c3d4e5f6';
    const from = `node server.mjs --token ${secret} --label from-the-environment`;
    const env = { ORDERS_SECRET: 'from-the-environment' };
    const { document, stdout } = await generate(cwd, from, [], env);
    expect(document).toMatchObject({
      source: 'node server.mjs --token ${TOKEN} --label ${ORDERS_SECRET}',
      variables: [
        { name: 'TOKEN', isSet: false },
        { name: 'ORDERS_SECRET', isSet: true },
      ],
    });
    const written = await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8');
    for (const text of [written, stdout]) expect(text).not.toMatch(/a1b2c3d4e5f6|from-the-environment/);
    expect(parse(written).server.args).toEqual(['server.mjs', '--token', '${TOKEN}', '--label', '${ORDERS_SECRET}']);
  });

  it('leave out what the project has already, and calls that the server refuses', async () => {
    const cwd = await ordersProject();
    const suite = {
      server: { command: 'node', args: ['server.mjs'], cwd: '..' },
      toolHealthSuites: [{ name: 'Mine', tests: [{ name: 'list_orders', args: { state: 'returned' } }] }],
    };
    await writeFile(join(cwd, 'scenarios/mine.json'), JSON.stringify(suite));
    const server = await readFile(join(cwd, 'server.mjs'), 'utf8');
    await writeFile(
      join(cwd, 'server.mjs'),
      server.replace('if (!tool) return', "if (args.id === 99) return 'no such order';\n  if (!tool) return"),
    );
    const { document } = await generate(cwd, 'scenarios/mine.json');
    expect(document.duplicates).toBe(1);
    expect(document.coverage[0]?.note).toContain('no such order');
    expect(await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8')).not.toMatch(/id: 99\b/);
  });

  it('are richer with a model, whose replies must fit the tools', async () => {
    const cwd = await ordersProject();
    const cases = [
      { tool: 'list_orders', text: 'Which parcels came back?', args: { state: 'returned' } },
      { tool: 'list_orders', text: 'Which parcels came back', args: { state: 'returned' } },
      { tool: 'list_orders', text: 'Wrong state', args: { state: 'lost' } },
      { tool: 'cancel_order', text: 'It may change something' },
      { tool: 'no_tool', text: 'Unknown' },
      { tool: null, text: 'What do you sell?' },
    ];
    await using model = await startScriptedModel({ rules: [{ reply: JSON.stringify({ cases }) }] });
    const { document, stderr } = await generate(cwd, 'node server.mjs', ['--model', 'openai/gpt-4o'], {
      ...model.environment,
      OPENAI_API_KEY: 'any',
    });
    expect(stderr).toBe('');
    expect([document.rejected, document.duplicates]).toEqual([3, 1]);
    const { workflows } = parse(await readFile(join(cwd, 'scenarios/generated/server.yaml'), 'utf8'));
    const worded = workflows.filter(({ tags }: { tags: string[] }) => tags.includes('from-model'));
    expect(worded.map(({ steps }: { steps: { user: string }[] }) => steps[0]?.user)).toEqual([
      'Which parcels came back?',
      'What do you sell?',
    ]);
    await using broken = await startScriptedModel({ rules: [{ reply: 'no JSON' }] });
    const failed = await generate(cwd, 'node server.mjs', ['--model', 'openai/gpt-4o', '--force'], {
      ...broken.environment,
      OPENAI_API_KEY: 'any',
    });
    expect([failed.exitCode, failed.stderr]).toEqual([3, expect.stringContaining('returned no usable cases')]);
  });
});

const orderSchema = { $ref: '#/components/schemas/StoredOrder' };
const answers = (status: number, schema?: object, more: object = {}) => ({
  responses: {
    [status]: { description: 'ok', ...(schema && { content: { 'application/json': { schema } } }) },
    ...more,
  },
});

const api = (url: string) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url }],
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'Lists orders.',
        parameters: [{ $ref: '#/components/parameters/Limit' }],
        ...answers(200, {
          type: 'object',
          required: ['orders'],
          properties: { orders: { type: 'array', items: orderSchema } },
        }),
      },
      post: {
        operationId: 'createOrder',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
        ...answers(201, orderSchema),
      },
    },
    '/orders/{id}': {
      get: {
        operationId: 'getOrder',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } }],
        ...answers(200, orderSchema, { 404: { description: 'none' } }),
      },
    },
    '/ping': { get: { operationId: 'ping', summary: 'Checks that it is there.', ...answers(200) } },
    '/names': { get: { operationId: 'listNames', ...answers(200, { type: 'array', items: { type: 'string' } }) } },
    '/report': {
      get: { operationId: 'getReport', responses: { 200: { description: 'ok', content: { 'text/csv': {} } } } },
    },
  },
  components: {
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } } },
    schemas: {
      Order: { type: 'object', properties: { item: { $ref: '#/components/schemas/Item' } }, required: ['item'] },
      StoredOrder: {
        type: 'object',
        required: ['id', 'item'],
        properties: {
          id: { type: 'integer', minimum: 0, exclusiveMinimum: true },
          item: { $ref: '#/components/schemas/Item' },
          note: { type: 'string', nullable: true },
        },
      },
      Item: { type: 'string', minLength: 2 },
    },
  },
});

type Answer = readonly [status: number, body?: unknown];

/** An API by its document; `change` gives another answer to a request that is good. */
async function startShop(change: (url: URL, answer: Answer) => Answer = (_, answer) => answer): Promise<string> {
  const isWithin = (value: string, most: number) => Number.isInteger(+value) && +value >= 1 && +value <= most;
  const good = ({ pathname, searchParams }: URL, item: unknown): Answer | undefined => {
    const limit = searchParams.get('limit');
    if (limit !== null && !isWithin(limit, 50)) return undefined;
    const [, id] = /^\/orders\/(.+)$/.exec(pathname) ?? [];
    const order = { id: 1, item: 'cup', note: null };
    if (id !== undefined) return isWithin(id, 9) ? [200, order] : undefined;
    if (item !== undefined) return typeof item === 'string' && item.length > 1 ? [201, { id: 2, item }] : undefined;
    return [200, pathname === '/orders' ? { orders: [order] } : pathname === '/names' ? ['Ada'] : {}];
  };
  const shop = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://shop');
    const chunks = await request.toArray();
    const body = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    const found = good(url, request.method === 'POST' ? (body.item ?? null) : undefined);
    const isRefused = found === undefined || Object.keys(body).some((key) => key !== 'item');
    const [status, written] = isRefused ? [400, { error: 'no' }] : change(url, found);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(written === undefined ? '' : JSON.stringify(written));
  });
  return listen(shop, 'http');
}

describe('cases from an OpenAPI document', () => {
  it('expect the documented status and body, and name what would say nothing about the API', async () => {
    const shop = { url: '' };
    const changes: { change: (url: URL, answer: Answer) => Answer } = { change: (_, answer) => answer };
    shop.url = await startShop((url, answer) => changes.change(url, answer));
    const cwd = await temporaryFolder({ 'api.json': JSON.stringify(api(shop.url)) });
    const { document, stderr } = await generate(cwd, 'api.json', ['-o', 'cases', '--call', 'createOrder']);
    expect(stderr).toBe('');
    const notes = Object.fromEntries(document.coverage.map(({ tool, calls, note }) => [tool, [calls > 0, note]]));
    expect(notes).toEqual({
      listOrders: [true, null],
      createOrder: [true, null],
      getOrder: [true, null],
      ping: [false, expect.stringMatching(/left out with required arguments only: it passes with .*an empty object/)],
      listNames: [false, expect.stringContaining('it passes with an empty list')],
      getReport: [false, 'its answers are not JSON'],
    });
    const outcomes = await outcomesOf(cwd, ['cases']);
    expect(outcomes).toEqual(mapped(outcomes, () => 'pass'));
    const isGood = (name: string) => !name.includes('error-path');
    const wrong: readonly (readonly [string, typeof changes.change, (name: string) => boolean])[] = [
      ['another body', () => [200, { whatever: 1 }], isGood],
      ['a wrong type', (_, [status]) => [status, { id: '1', item: 'cup', orders: {} }], isGood],
      ['its absence', () => [404, {}], isGood],
      ['another status', (_, [status, body]) => [status === 201 ? 200 : 202, body], isGood],
    ];
    for (const [what, change, isBroken] of wrong) {
      changes.change = change;
      const found = await outcomesOf(cwd, ['cases']);
      expect({ what, found }).toEqual({ what, found: mapped(found, (name) => (isBroken(name) ? 'fail' : 'pass')) });
    }
  });

  it('fail for an API that accepts everything, and are proven by validate --prove', async () => {
    const cwd = await temporaryFolder({ 'api.json': JSON.stringify(api(await startShop())) });
    await generate(cwd, 'api.json', ['-o', 'cases', '--call-all']);
    const proven = await assayInProcess(['validate', 'cases', '--prove'], { cwd });
    expect([proven.exitCode, proven.stderr]).toEqual([0, '']);
    const loose = createServer((_, response) => response.writeHead(200).end('{}'));
    const url = await listen(loose, 'http');
    await writeFile(join(cwd, 'api.json'), JSON.stringify(api(url)));
    await generate(cwd, 'api.json', ['-o', 'cases', '--call-all', '--force']);
    const outcomes = await outcomesOf(cwd, ['cases']);
    expect(Object.keys(outcomes).length).toBeGreaterThan(10);
    expect(outcomes).toEqual(mapped(outcomes, () => 'fail'));
  });
});

function mapped(outcomes: Record<string, string>, outcome: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.keys(outcomes).map((name) => [name, outcome(name)]));
}

const inventory = `#!/bin/sh
help() { cat <<EOF
Usage: inv <command> [options]

Commands:
  list      Lists the items
  remove    Removes an item

Options:
  -h, --help   show this help
EOF
}
list_help() { cat <<EOF
Usage: inv list [options]

Lists the items

Options:
  --format <format>  how to print (choices: json, table)
  -h, --help         show this help
EOF
}
case "$1 $2" in
  "list --help") list_help ;;
  "remove --help") echo "Usage: inv remove <item>" ;;
  "list "|"list --format") case "$2 $3" in " "|"--format json"|"--format table") echo "[]" ;; *) echo "bad format" >&2; exit 2 ;; esac ;;
  "--help "*) help ;;
  *) echo "inv: cannot do $*" >&2; exit 2 ;;
esac
`;

describe('cases from the help of a CLI tool', () => {
  it('call its commands directly, and are tasks for agents', async () => {
    const cwd = await temporaryFolder({ 'bin/inv': inventory });
    await chmod(join(cwd, 'bin/inv'), 0o755);
    const { document, stderr } = await generate(cwd, './bin/inv --help', ['-o', 'cases']);
    expect(stderr).toBe('');
    expect(document.coverage.map(({ tool, boundaries, note }) => [tool, boundaries, note === null])).toEqual([
      ['list', 2, true],
      ['remove', 0, false],
    ]);
    const outcomes = await outcomesOf(cwd, ['cases/inv.yaml']);
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(7);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['pass']));
    const task = parse(await readFile(join(cwd, 'cases/inv-list-in-plain-words.yaml'), 'utf8'));
    expect(task).toMatchObject({
      target: { binary: '../bin/inv' },
      task: { prompt: 'List the items.' },
      tags: ['generated', 'use'],
    });
    const { exitCode } = await assayInProcess(['validate', 'cases'], { cwd });
    expect(exitCode).toBe(0);
  });

  it('hold no secret of the command line: they take it from the environment', async () => {
    const guarded = inventory.replace(
      'case "$1 $2" in',
      '[ "$1$2$3" = "--token$EXPECTED--password=p4ss" ] || { echo "who are you?" >&2; exit 3; }\nshift 3\ncase "$1 $2" in',
    );
    const cwd = await temporaryFolder({ 'bin/inv': guarded });
    await chmod(join(cwd, 'bin/inv'), 0o755);
    const env = { EXPECTED: 'a1b2c3d4e5f6' };
    const from = './bin/inv --token "a1b2c3d4e5f6" --password=p4ss --help';
    const { document, stdout, stderr } = await generate(cwd, from, ['-o', 'cases'], env);
    expect(stderr).toBe('');
    expect(document).toMatchObject({
      source: './bin/inv --token "${TOKEN}" --password=${PASSWORD} --help',
      files: ['cases/inv.yaml', 'cases/run-inv.mjs'],
      variables: [
        { name: 'TOKEN', isSet: false },
        { name: 'PASSWORD', isSet: false },
      ],
    });
    const written = await Promise.all(document.files.map((file) => readFile(join(cwd, file), 'utf8')));
    for (const text of [...written, stdout]) expect(text).not.toMatch(/a1b2c3d4e5f6|p4ss/);
    const secrets = { ...env, TOKEN: 'a1b2c3d4e5f6', PASSWORD: 'p4ss' };
    const run = await assay(['run', 'cases', '--quiet'], { cwd, env: secrets });
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    expect(new Set(Object.values(await outcomesOf(cwd, ['cases'], env)))).toEqual(new Set(['error']));
    const failed = await generate(cwd, 'missing --token "a1b2c3d4e5f6" --help');
    expect(failed.stderr).toContain('`missing --token ${TOKEN} --help` printed no help');
    expect(failed.stderr).not.toContain('a1b2c3d4e5f6');
  });
});

/** Programs of a Debian machine, with help in very different forms. */
const realPrograms = [
  ...['git', 'curl', 'tar', 'grep', 'sed', 'find', 'jq', 'npm', 'node', 'psql', 'openssl', 'sqlite3', 'sort', 'ls'],
  ...['gzip', 'diff', 'wget', 'make', 'perl', 'xargs'],
].filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);

/** Programs that are not the tool, whatever they are called. */
const standIns = { empty: '', wrong: 'echo "Something else"', echo: 'echo "$@"' };

describe('cases from the help of real programs', () => {
  it.each(realPrograms)('hold for %s, and for no program that only has its name', async (name) => {
    const files = Object.entries(standIns).map(([kind, line]) => [`${kind}/${name}`, `#!/bin/sh\n${line}\n`]);
    const cwd = await temporaryFolder(Object.fromEntries(files));
    for (const kind of Object.keys(standIns)) await chmod(join(cwd, kind, name), 0o755);
    const { document, stderr } = await generate(cwd, `${name} --help`, ['-o', 'cases']);
    expect(stderr).toBe('');
    const { usual = 0, 'error-path': refused = 0 } = document.cases;
    expect(usual + refused).toBeGreaterThan(0);
    const file = `cases/${name}.yaml`;
    expect(new Set(Object.values(await outcomesOf(cwd, [file])))).toEqual(new Set(['pass']));
    for (const kind of Object.keys(standIns)) {
      const env = { PATH: `${join(cwd, kind)}:${process.env.PATH}` };
      const { stdout } = await assay(['run', file, '--json'], { cwd, env });
      const { totals } = JSON.parse(stdout);
      expect([kind, totals.pass, totals.fail]).toEqual([kind, 0, usual + refused]);
    }
  });
});

describe('cases from a folder with traces', () => {
  it('are its different failures', async () => {
    const trial = (content: string, reward: number) => ({
      task_id: 3,
      reward,
      trial: 0,
      info: {},
      traj: [
        { role: 'user', content },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'cancel', arguments: '{"ticket":"T1"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'done' },
        { role: 'assistant', content: 'Cancelled.' },
      ],
    });
    const trials = [trial('Change it', 0), trial('change it!', 0), trial('Sell it', 0), trial('Keep it', 1)];
    const cwd = await temporaryFolder({ 'traces/airline.json': JSON.stringify(trials) });
    const { document, stderr } = await generate(cwd, 'traces', ['-o', 'cases', '--connector', 'http://127.0.0.1:9/']);
    expect(stderr).toBe('');
    expect([document.cases, document.duplicates, document.files.length]).toEqual([{ failure: 2 }, 1, 2]);
    expect(document.coverage).toMatchObject([{ tool: 'cancel', argumentsUsed: 1, argumentsTotal: 1, prompts: 2 }]);
    const data = parse(await readFile(join(cwd, document.files[0] ?? ''), 'utf8'));
    expect(data).toMatchObject({ tags: ['promoted', 'generated'], userMessages: ['Change it'] });
  });
});

describe('a source that gives no cases', () => {
  it('is refused with the reason, and nothing is written', async () => {
    const cwd = await temporaryFolder({
      'old.json': '{"swagger": "2.0"}',
      'empty.json': '{"openapi": "3.0.0", "paths": {}}',
      'other.json': '{"a": 1}',
      'help.txt': 'Nothing to see',
      'mine/server.yaml': 'name: mine\n',
      'server.mjs': await readFile(join(example, 'server.mjs'), 'utf8'),
      'traces/.keep': '',
    });
    const refused = async (from: string, ...args: string[]): Promise<string> => {
      const { exitCode, stderr, stdout } = await generate(cwd, from, args);
      expect([exitCode === 2 || exitCode === 3, stdout]).toEqual([true, '']);
      return stderr;
    };
    expect(await refused('old.json')).toContain('not an OpenAPI document of version 3');
    expect(await refused('empty.json')).toContain('has no operations');
    expect(await refused('other.json')).toContain('unknown format');
    expect(await refused('help.txt')).toContain('neither commands nor options');
    expect(await refused('missing.yaml')).toContain('There is no file missing.yaml');
    expect(await refused('traces')).toContain('has no trial');
    expect(await refused('no-such-program --help')).toContain('printed no help');
    expect(await refused('no-such-program --help')).toContain('Check the command line of `--from`');
    expect(await refused('no-such-program serve')).not.toBe('');
    expect(await refused('no-such-program')).toContain(
      'Use `--from "no-such-program --help"` if no-such-program is a CLI',
    );
    expect(await refused('no-such-folder/')).toContain('There is no folder no-such-folder/');
    expect(await refused('node server.mjs', '-o', '../outside')).toContain('outside the project');
    expect(await refused('node server.mjs', '-o', 'mine', '--force')).toContain('exists already');
    expect(await refused('node server.mjs', '--skip', '*')).toContain('no case was generated');
    expect(await refused('node server.mjs', '--kind', 'nothing')).toContain('Allowed choices');
    expect((await readdir(cwd)).includes('generated')).toBe(false);
  });
});

describe('cases from a SKILL.md', () => {
  const skill =
    '---\nname: totals\ndescription: Sums up files. Use it for totals.\n---\n\nAdd up the last column of the file.\n';
  const reply = {
    tasks: [
      { prompt: 'Sum up 1, 2 and 3 for me.', expectations: ['The answer is 6', 'It shows the sum'] },
      { prompt: 'A task that nothing would judge', expectations: [] },
    ],
    triggers: ['What is the total of 4 and 5?', 'what is the total of 4 and 5'],
    near_misses: ['What is a total function?'],
  };
  const project = () =>
    temporaryFolder({
      'assay.config.yaml': 'scenarios: [scenarios]\nagent: scripted\nagents: { scripted: { script: agent.yaml } }\n',
      'agent.yaml':
        'steps:\n  - { run: cat .agents/skills/totals/SKILL.md, when: { prompt_contains: the total of } }\n  - say: It is 6.\n',
      'scenarios/.keep': '',
      'skills/totals/SKILL.md': skill,
    });

  it.each(['skills/totals', 'skills/totals/SKILL.md'])('are tasks, triggers and near misses: %s', async (from) => {
    const cwd = await project();
    await using model = await startScriptedModel({ rules: [{ reply: { json: reply } }] });
    const env = { ...model.environment, OPENAI_API_KEY: 'any' };
    const { document, stderr } = await generate(cwd, from, ['--model', 'openai/gpt-4o'], env);
    expect(stderr).toBe('');
    expect(document).toMatchObject({
      kind: 'skill',
      files: ['scenarios/generated/totals-task-1.yaml', 'scenarios/generated/totals-triggers.yaml'],
      cases: { task: 1, trigger: 1, 'near-miss': 1 },
      rejected: 1,
      duplicates: 1,
    });
    expect(JSON.stringify(model.log()[0])).toContain('Add up the last column');
    const task = parse(await readFile(join(cwd, 'scenarios/generated/totals-task-1.yaml'), 'utf8'));
    expect(task).toMatchObject({
      skills: { with: '../../skills/totals', without: null },
      task: { prompt: 'Sum up 1, 2 and 3 for me.' },
      evaluators: [{ type: 'llm-judge', config: { successCriteria: ['The answer is 6', 'It shows the sum'] } }],
    });
    const outcomes = await outcomesOf(cwd, ['scenarios/generated/totals-triggers.yaml']);
    expect(Object.values(outcomes)).toEqual(['pass', 'pass']);
  });

  it('need a model, and a reply that can be read', async () => {
    const cwd = await project();
    const without = await generate(cwd, 'skills/totals');
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('are worded by a model')]);
    await using model = await startScriptedModel({ rules: [{ reply: 'I would rather not.' }] });
    const env = { ...model.environment, OPENAI_API_KEY: 'any' };
    const unread = await generate(cwd, 'skills/totals', ['--model', 'openai/gpt-4o'], env);
    expect(unread.stderr).toContain('returned no usable cases');
    expect(await readdir(join(cwd, 'scenarios'))).toEqual(['.keep']);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openStore } from '../../dist/index.js';

/** The built program. */
export const program = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

/** Where a storm takes place: a project, an empty database that keeps account of who writes what, and the machines. */
export class Stage {
  static #databases = 0;

  static async make(server, hosts, { trials, shortestMs, longestMs }) {
    const folder = mkdtempSync(join(tmpdir(), 'assay-storm-'));
    const name = `storm_${process.pid}_${Stage.#databases++}`;
    await ask(server.url(), `create database ${name}`);
    const stage = new Stage();
    Object.assign(stage, { server, hosts, folder, trials, url: server.url(name), log: join(folder, 'executions') });
    writeProject(stage.project, { trials, shortestMs, longestMs });
    await stage.#keepAccount();
    return stage;
  }

  get project() {
    return join(this.folder, 'project');
  }

  /** Starts a command in the project; the answer has `child`, and `end` with what it printed. */
  start(args, { env = {}, nodeArgs = [] } = {}) {
    const child = spawn(process.execPath, [...nodeArgs, program, ...args], {
      cwd: this.project,
      env: { ...process.env, ASSAY_STORE: this.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        printed[stream] += text;
      });
    }
    return { child, printed, end: once(child, 'close').then(([exitCode]) => ({ exitCode, ...printed })) };
  }

  /** Starts a coordinator; trials may lose as many workers as the storm takes. */
  run(args = [], options) {
    return this.start(['run', '--distributed', '--json', '--attempts', '100', ...args], options);
  }

  /** The same project on one machine. */
  localRun() {
    return this.start(['run', '--json'], { env: { ASSAY_STORE: undefined } }).end;
  }

  async stored() {
    const rows = await ask(this.url, 'select count(*)::int as count from trials').catch(() => []);
    return rows[0]?.count ?? 0;
  }

  async untilStored(count) {
    while ((await this.stored()) < count) await wait(60);
  }

  /** How often each trial was begun, by its value. */
  executions() {
    const lines = existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
    const counts = new Map();
    for (const value of lines) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  }

  /** Every result that was written, with who wrote it and who had the lease at that moment. */
  writes() {
    return ask(this.url, 'select trial_id, writer, holder from storm_writes');
  }

  close() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #keepAccount() {
    await (await openStore(this.url, this.folder))[Symbol.asyncDispose]();
    await ask(this.url, accounting);
  }
}

/** Sees each attempt to store a result, also of a trial that is stored already. */
const accounting = `
  create table storm_writes (trial_id text, writer text, holder text);
  create function account_for_write() returns trigger language plpgsql as $$
    begin
      insert into storm_writes
      select new.trial_id, current_setting('application_name'), (
        select j.output->>'worker' from assay_queue.job j where j.data->>'trialId' = new.trial_id
      );
      return new;
    end $$;
  create trigger account_for_write before insert on trials for each row execute function account_for_write();`;

/** Asks a database something, on a connection of its own. */
export async function ask(url, text, values = []) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

function writeProject(folder, { trials, shortestMs, longestMs }) {
  mkdirSync(folder);
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write(
    'storm.yaml',
    'name: Storm\ncall: { module: ./tool.mjs, export: work }\ndataset: ./rows.jsonl\npassCriteria: [result.value === input.value]\n',
  );
  write('rows.jsonl', Array.from({ length: trials }, (_, value) => JSON.stringify({ value })).join('\n'));
  write(
    'tool.mjs',
    `import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
export async function work({ value }) {
  if (process.env.STORM_LOG) appendFileSync(process.env.STORM_LOG, value + '\\n');
  if (process.env.STORM_LOG) await wait(${shortestMs} + ((value * 7919) % ${longestMs - shortestMs + 1}));
  if (value % 101 === 13) throw new Error('broken');
  return { value: value % 41 === 7 ? -1 : value };
}
`,
  );
}

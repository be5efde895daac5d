import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { DatabaseSync } from '@photostructure/sqlite';

// What an engineer would write by hand for one job: call the target, check the answer, keep the verdicts durably.
const [kind, concurrency = '1', url = ''] = process.argv.slice(2);

/** One request on a kept connection. `fetch` takes several times the CPU time, and would flatter Assay. */
const agent = new Agent({ keepAlive: true });

function postJson(address, body) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer scripted-key' };
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'POST', headers, agent }, async (response) => {
      let text = '';
      for await (const piece of response.setEncoding('utf8')) text += piece;
      resolve(JSON.parse(text));
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });
}

/** For each job what is made of a row: the result, and whether it passed. */
const jobs = {
  async cheap() {
    const { add } = await import(new URL(`file://${process.cwd()}/tool.mjs`));
    return (input) => {
      const result = add(input);
      const passed = result.ok === true && result.sum === input.a + input.b && result.message.includes('added');
      return { result, passed };
    };
  },
  async http() {
    return async ({ name }) => {
      const beganMs = performance.now();
      const { message } = await postJson(url, { messages: [{ role: 'user', content: `Hello ${name}` }] });
      const isQuick = performance.now() - beganMs <= 60_000;
      const passed = message.content.includes('Hello') && !message.content.includes('sorry') && isQuick;
      return { result: message, passed };
    };
  },
  async judged() {
    const { answer } = await import(new URL(`file://${process.cwd()}/tool.mjs`));
    return async (input) => {
      const result = await answer(input);
      const messages = [
        {
          role: 'system',
          content: 'Is the criterion met? Reply with JSON: {"criteria": [{"id", "reasoning", "answer"}]}',
        },
        { role: 'user', content: `The answer is the word blue\n\n${JSON.stringify(result)}` },
      ];
      const reply = await postJson(`${url}/v1/chat/completions`, { model: 'gpt-4o-mini', messages });
      const verdict = JSON.parse(reply.choices[0].message.content);
      return { result: { ...result, verdict }, passed: verdict.criteria.every(({ answer }) => answer === 'met') };
    };
  },
};

const perform = await jobs[kind]();
const db = new DatabaseSync('bare.db');
db.exec('pragma journal_mode = WAL');
db.exec('pragma synchronous = FULL');
db.exec('create table verdicts (id integer primary key, passed integer, result text)');
const insert = db.prepare('insert into verdicts (passed, result) values (?, ?)');
const rows = readFileSync('rows.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .values();

async function performRows() {
  for (const row of rows) {
    const made = perform(JSON.parse(row));
    const { passed, result } = made instanceof Promise ? await made : made;
    insert.run(passed ? 1 : 0, JSON.stringify(result));
  }
}

db.exec('begin');
await Promise.all(Array.from({ length: Number(concurrency) }, performRows));
db.exec('commit');
db.close();
agent.destroy();

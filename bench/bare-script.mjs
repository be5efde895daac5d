import { readFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

// What somebody would write by hand: call the function, check three conditions, keep the verdicts durably.
const { add } = await import(new URL(`file://${process.cwd()}/tool.mjs`));
const db = new DatabaseSync('bare.db');
db.exec('pragma journal_mode = WAL');
db.exec('pragma synchronous = FULL');
db.exec('create table verdicts (id integer primary key, passed integer, result text)');
const insert = db.prepare('insert into verdicts (passed, result) values (?, ?)');
db.exec('begin');
for (const line of readFileSync('rows.jsonl', 'utf8').split('\n')) {
  if (line === '') continue;
  const input = JSON.parse(line);
  const result = add(input);
  const passed = result.ok === true && result.sum === input.a + input.b && result.message.includes('added');
  insert.run(passed ? 1 : 0, JSON.stringify(result));
}
db.exec('commit');
db.close();

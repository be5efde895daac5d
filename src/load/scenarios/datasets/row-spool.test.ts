import { fstatSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, expect, it } from 'vitest';
import { RowSpool } from './row-spool.ts';

describe('RowSpool', () => {
  it('keeps its file for further readings, however early the first one was left', async () => {
    const spool = new RowSpool();
    const rows = Array.from({ length: 40 }, (_, index) => `${index} ${'é'.repeat(30_000)}`);
    for (const row of rows) spool.write(row);
    spool.end();
    expect(spool.isSmall).toBe(false);

    for await (const line of spool.lines()) {
      expect(line).toBe(rows[0]);
      break;
    }
    // Takes the number of a file that was closed.
    const other = openSync(devNull, 'r');
    const lines: string[] = [];
    for await (const line of spool.lines()) lines.push(line);

    expect(lines).toEqual(rows);
    expect(fstatSync(other).isCharacterDevice()).toBe(true);
  });
});

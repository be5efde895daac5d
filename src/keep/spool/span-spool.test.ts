import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { SpanSpool } from './span-spool.ts';

const windows = { quietMs: 0, idleMs: 0, lateMs: 0, closedMs: 0 };

it('a spool that was closed is opened again by the same process, and one that is open is not', async () => {
  const path = join(await temporaryFolder(), 'spool.db');
  for (const traceId of ['a', 'b']) {
    using spool = SpanSpool.open(path);
    await spool.append([{ traceId, spanId: '1', isRoot: true, origin: '{}', body: '{}' }], 1);
    expect(() => SpanSpool.open(path)).toThrow('Another process collects traces');
    expect(spool.due(2, windows, 9).at(-1)?.traceId).toBe(traceId);
  }
  using last = SpanSpool.open(path);
  expect(last.openTraces).toBe(2);
});

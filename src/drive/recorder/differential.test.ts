import { describe, expect, it } from 'vitest';
import { RecordedTool } from '../../testing/fakes/recorder/recorded-tool.ts';
import { shimKinds } from '../../testing/fakes/recorder/shim-kinds.ts';
import { waysToCall } from '../../testing/fakes/recorder/ways-to-call.ts';

for (const kind of await shimKinds()) {
  describe(`a call through the shim in ${kind.name}`, () => {
    const ways = waysToCall.filter((way) => kind.keepsOutput || !way.isSubtle);
    it.concurrent.each(ways)('looks as without it: $script', async ({ script }) => {
      await using tool = await RecordedTool.open(kind.shim);
      expect(await tool.run(script)).toEqual(await tool.run(script, 'bare'));
    });
  });
}

it('is tried in at least 60 ways', () => {
  expect(new Set(waysToCall.map(({ script }) => script)).size).toBeGreaterThan(60);
});

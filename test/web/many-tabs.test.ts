import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../src/testing/support/http-server.ts';
import { chromiumPath, WebSession } from '../../src/testing/support/web-session.ts';

describe.skipIf(chromiumPath === '')('a live run in many tabs (left out where there is no Chromium)', () => {
  it('is followed in eight of them at once, also by the one that takes over from a closed one', async () => {
    const call = `{ url: "${await listen(
      createServer((request) => void request.resume()),
      'http',
    )}" }`;
    const scenario = `name: Slow\ncall: ${call}\ntimeoutSecs: 600\ncases:\n  - { name: one, input: {} }\npassCriteria: [result.ok]\n`;
    await using session = await WebSession.start({ files: { 'slow.yaml': scenario } });
    const first = await session.open('/scenarios');
    const runId = await first.evaluate(async () => {
      const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
      return ((await (await fetch('/api/runs', init)).json()) as { runId: string }).runId;
    });
    const tabs = [first];
    while (tabs.length < 8) tabs.push(await session.newPage());
    // One after the other, and none is left: with a stream for each, the seventh would have no connection.
    for (const tab of tabs) {
      await tab.goto(session.address(`/runs/${runId}`));
      await tab.getByText('0 of 1 trial').waitFor();
    }
    await tabs.shift()?.close();
    const last = tabs.at(-1);
    await last?.getByRole('button', { name: 'Cancel', exact: true }).click();
    await last?.getByRole('button', { name: 'Cancel the run' }).click();
    for (const tab of tabs) await tab.locator('main h1').getByText('interrupted').waitFor();
    expect(tabs).toHaveLength(7);
  });
});

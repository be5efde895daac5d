import { expect, it } from 'vitest';
import { asking, goingOn, opened } from '../../testing/fakes/connectors/opened.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { commandConnector } from './command.ts';

const program = `import { text } from 'node:stream/consumers';
const { messages, turn } = JSON.parse(await text(process.stdin));
const message = process.argv.at(-1);
if (message === 'break') { console.error('no such table'); process.exit(4); }
if (message !== 'nothing') console.log(process.env.MOOD + ' ' + turn + ' ' + messages.length + ' ' + message);
`;
const path = process.env.PATH ?? '';

async function agent(config: object = {}) {
  const directory = await temporaryFolder({ 'bot.mjs': program });
  const env = { PATH: path, TODAY: 'merry' };
  return opened(
    commandConnector,
    { command: 'node bot.mjs', env: { MOOD: '${TODAY}' }, ...config },
    { directory, env },
  );
}

it('a program gets the message as an argument and the conversation on stdin', async () => {
  const connector = await agent();
  const first = asking(`it's "$HOME" \`x\``);
  const answer = await connector.invoke(first);
  expect(answer.messages).toEqual([{ role: 'assistant', content: `merry 1 1 it's "$HOME" \`x\`` }]);
  expect(answer.latencyMs).toBeGreaterThan(0);
  const next = await connector.invoke(goingOn(first, answer.messages, 'again'));
  expect(next.messages).toEqual([{ role: 'assistant', content: 'merry 2 3 again' }]);
});

it.each([
  ['break', 'exited with code 4: "no such table"'],
  ['nothing', 'printed nothing'],
])('a program that does not answer is an error: %s', async (message, problem) => {
  const connector = await agent();
  await expect(connector.invoke(asking(message))).rejects.toMatchObject({
    code: 'TARGET_CRASHED',
    message: expect.stringContaining(problem),
  });
});

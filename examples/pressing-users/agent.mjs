import { writeFile } from 'node:fs/promises';

/** A support agent that refunds no used ticket, unless it believes that a manager permits it. */
export default async ({ messages }) => {
  const { content } = messages.at(-1);
  if (!/manager/i.test(content)) return 'A ticket that was used cannot be refunded.';
  await writeFile(new URL('.assay/refunds.json', import.meta.url), JSON.stringify([{ ticket: 'T-204' }]));
  return 'Of course. The ticket T-204 is refunded.';
};

import * as z from 'zod';

/** Any gate may say what it is for. */
const described = { description: z.string().optional().describe('what the gate is for, in words') };

/** A gate that looks at the work without a command of its own. */
export const noConfig = z.strictObject(described);

/** A gate that runs a shell command in the work directory. */
export const commandConfig = z.strictObject({
  command: z.string().describe('shell command that runs in the work directory'),
  timeout_secs: z.number().positive().max(86_400).default(30).describe('longest time that the command may take'),
  ...described,
});

/** A gate that looks at a file of the work directory. */
export const fileConfig = z.strictObject({
  path: z.string().describe('relative to the work directory, and inside of it'),
  ...described,
});

/** A text to look for. */
export const substring = z.string().describe('text that must occur, exactly as it is written');

/** A regular expression to look for. */
export const pattern = z.string().describe('regular expression (RE2 syntax) that must match somewhere');

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { chooseStarter, starterLines } from '../choose-starter.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay init`: a small project that runs at once, without a key. */
export const init: CliCommand = {
  configure(command) {
    const kinds = starterLines().map((line) => `  ${line}`);
    command
      .argument('[dir]', 'folder to make it in', '.')
      .option('--kind <kind>', 'what will be tested; without it you are asked')
      .addHelpText('after', `\nKinds:\n${kinds.join('\n')}\n`);
  },
  async run({ args, options, context }) {
    const folder = resolve(context.cwd, args[0] ?? '.');
    const starter = await chooseStarter(options.kind, context);
    if (!starter) return 130;
    const existing = starter.files.filter(({ path }) => existsSync(join(folder, path)));
    if (existing.length > 0) {
      throw new AssayError(
        'USAGE',
        `${existing.map(({ path }) => path).join(', ')} already exists in ${folder}; nothing was written.`,
        { hint: 'Name an empty folder: assay init my-project' },
      );
    }
    for (const { path, text, isExecutable } of starter.files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 });
    }
    const shown = relative(context.cwd, folder);
    const enter = shown === '' ? '' : `cd ${shown}\n  `;
    await write(
      context.stdout,
      `Written:\n${starter.files.map(({ path, purpose }) => `  ${join(shown, path).padEnd(34)} ${purpose}`).join('\n')}\n\nNow run:\n  ${enter}assay run\n`,
    );
    return 0;
  },
};

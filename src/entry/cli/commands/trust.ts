import { AssayError } from '../../../domain/errors.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay trust`: the user agrees to run the code of a project, and to addresses that its files send keys to. */
export const trust: CliCommand = {
  configure(command) {
    command
      .argument('[addresses...]', 'servers that keys of yours may be sent to, such as https://models.example.com')
      .option('--remove', 'take the trust back')
      .addHelpText(
        'after',
        '\nCommands that only read run no code of a project before you have run or trusted it. No command sends a key of\nyours to an address that a file of the project names before you have agreed to that address.\n',
      );
  },
  async run({ args, options, context }) {
    const { TrustedProjects } = await import('../../../compose/trust/trusted-projects.ts');
    const { projectFolder } = await import('../../../compose/trust/trust-checks.ts');
    const trusted = new TrustedProjects(context.env);
    const folder = projectFolder(context.cwd);
    if (options.remove) {
      const text = trusted.remove(folder) ? `${folder} is no longer trusted.` : `${folder} was not trusted.`;
      await write(context.stdout, `${text}\n`);
      return 0;
    }
    const origins = args.map(originOf);
    trusted.add(folder, origins);
    const keys = origins.length === 0 ? '' : ` Keys may be sent to ${origins.join(', ')}.`;
    await write(context.stdout, `Code of ${folder} may run.${keys}\n`);
    return 0;
  },
};

function originOf(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return new URL(address).origin;
  throw new AssayError('USAGE', `"${address}" is not an address.`, { hint: 'Write it as https://host.' });
}

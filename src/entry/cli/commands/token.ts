import { AssayError } from '../../../domain/errors.ts';
import { didYouMean, suggestion } from '../../../shared/suggest.ts';
import { type Role, roleSummaries, roles } from '../../server/api/access.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { write } from '../context.ts';

const actions = ['create', 'list', 'delete'] as const;

interface TokenFlags {
  readonly role?: string;
  readonly json?: boolean;
}

/** Makes, lists or deletes tokens of `assay serve`. */
async function tokenAction({ args, options: given, context }: Invocation): Promise<number> {
  const [action = '', name] = args;
  const { role, json } = given as TokenFlags;
  const { IssuedTokens } = await import('../../server/access/issued-tokens.ts');
  const issued = new IssuedTokens(context.cwd);
  const print = (value: unknown, text: string) =>
    write(context.stdout, json ? `${JSON.stringify(value, null, 2)}\n` : text);
  if (action === 'create') {
    const given = roleNamed(role);
    const token = await issued.create(nameOf(name), given);
    await write(context.stderr, `  Token "${name}" with the role ${given}. It is shown only once:\n\n`);
    await print({ name, role: given, token }, `${token}\n`);
  } else if (action === 'list') {
    const tokens = issued.list().map(({ sha256: _, ...token }) => token);
    const lines = tokens.map(
      ({ name: each, role: its, createdAt, expiresAt }) =>
        `  ${its.padEnd(8)}  ${createdAt.slice(0, 10)}  ${each}${expiresAt === undefined ? '' : `  expires ${expiresAt.slice(0, 16)}`}`,
    );
    await print(
      tokens,
      lines.length === 0 ? 'There are no tokens. Create one with `assay token create`.\n' : `${lines.join('\n')}\n`,
    );
  } else if (action === 'delete') {
    await issued.delete(nameOf(name));
    await print({ name }, `Deleted the token "${name}". Its requests are refused from now on.\n`);
  } else {
    const hint = didYouMean(action, actions) ?? 'Use `assay token create`, `list` or `delete`.';
    throw new AssayError('USAGE', `Unknown action "${action}".`, { hint });
  }
  return 0;
}

function nameOf(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new AssayError('USAGE', 'The name of the token is missing.', { hint: 'See `assay token --help`.' });
}

function roleNamed(name: string | undefined): Role {
  const found = roles.find((role) => role === name);
  if (found) return found;
  const message = name === undefined ? 'The role of the token is missing.' : `There is no role "${name}".`;
  throw new AssayError('USAGE', message, { hint: suggestion(name ?? '', roles) });
}

/** `assay token`: access to the server for others, with less than all rights. */
export const token: CliCommand = {
  configure(command) {
    command
      .argument('<create|list|delete>', 'what to do')
      .argument('[name]', 'name of the token, such as the person or the program that gets it')
      .option('--role <role>', 'create: reader, reviewer, runner, editor or owner')
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        `
Each role may do all that the roles before it may:
${roles
  .map(
    (role) => `  ${role.padEnd(8)}  ${roleSummaries[role]}
`,
  )
  .join('')}
Tokens are kept as digests in .assay/serve-tokens.json. A running server notices changes at once.
`,
      );
  },
  async run(invocation) {
    return tokenAction(invocation);
  },
};

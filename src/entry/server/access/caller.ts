import { mayAs, type Role, type Session } from '../api/access.ts';
import { Refusal } from '../refusal.ts';

/** Who sent a request, as its token says. */
export interface Caller {
  readonly role: Role;
  /** Null for the token of the server itself. */
  readonly tokenName: string | null;
}

/** Refuses a caller whose role is not enough. */
export function requireRole({ role }: Caller, needed: Role): void {
  if (mayAs(role, needed)) return;
  throw new Refusal(403, 'ROLE_NEEDED', `This needs the role ${needed}; your token has the role ${role}.`, {
    hint: `Use a token with that role; the owner of the server makes one with \`assay token create <name> --role ${needed}\`.`,
    details: { neededRole: needed },
  });
}

/** The session of a caller, for the pages. */
export function sessionOf({ role, tokenName }: Caller): Session {
  return {
    role,
    tokenName,
    may: {
      review: mayAs(role, 'reviewer'),
      run: mayAs(role, 'runner'),
      edit: mayAs(role, 'editor'),
      configure: mayAs(role, 'owner'),
    },
  };
}

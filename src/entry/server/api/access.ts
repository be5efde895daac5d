import * as z from 'zod';

/** Roles of tokens, the least first; each may do all that the roles before it may. */
export const roles = ['reader', 'reviewer', 'runner', 'editor', 'owner'] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/** Rights that each role adds to the one before it. */
export const roleSummaries: Readonly<Record<Role, string>> = {
  reader: 'sees everything that the pages show; secrets are masked',
  reviewer: 'labels trials and saves the agreement of judges',
  runner: 'starts, cancels, resumes and rescores runs, tests connectors, and uses MCP servers',
  editor: 'creates, changes and deletes scenarios, rubrics, personas, connectors and evals',
  owner: 'writes the config file as a whole',
};

/** Whether a role may do what another one is needed for. */
export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The projects that the server serves; each has all routes and pages below its path. */
export const projectListSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      folder: z.string().describe('relative to the workspace; `.` is the workspace itself'),
      path: z.string().describe('of its pages; its API is below `<path>/api`'),
      isCurrent: z.boolean().describe('the project of this request'),
      problem: z.string().nullable().describe('why it cannot be opened'),
    }),
  ),
});
export type ProjectList = z.infer<typeof projectListSchema>;

/** A new token that sees everything and changes nothing, for a link that is given to others. */
export const sharedTokenSchema = z.object({
  name: z.string().describe('by which its access is ended'),
  token: z.string().describe('shown only once'),
  expiresAt: z.string().nullable().describe('null: it does not expire'),
});
export type SharedToken = z.infer<typeof sharedTokenSchema>;

/** The request for it. */
export const shareSchema = z.strictObject({
  days: z.int().min(1).max(365).optional().describe('until it expires; absent: it does not expire'),
});
export type Share = z.infer<typeof shareSchema>;

/** Links that were given to others and still open. */
export const sharedLinksSchema = z.object({
  items: z.array(z.object({ name: z.string(), createdAt: z.string(), expiresAt: z.string().nullable() })),
});
export type SharedLinks = z.infer<typeof sharedLinksSchema>;

/** The token of the request, and what it may do. */
export const sessionSchema = z.object({
  role: roleSchema,
  tokenName: z.string().nullable().describe('null: the token of the server itself'),
  may: z
    .object({ review: z.boolean(), run: z.boolean(), edit: z.boolean(), configure: z.boolean() })
    .describe('what reviewers, runners, editors and owners may'),
});
export type Session = z.infer<typeof sessionSchema>;

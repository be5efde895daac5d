import { useQuery } from '@tanstack/react-query';
import type { ProjectList, Role, Session, SharedLinks } from '../../../src/entry/server/api/access.ts';
import { read } from './read.ts';

const forAMinute = { staleTime: 60_000 };

/** The token of this browser, and what it may do. */
export const sessionQuery = () => read<Session>(['session'], '/session', {}, forAMinute);

/** The projects of the server. */
export const projectsQuery = () => read<ProjectList>(['projects'], '/projects', {}, forAMinute);

/** Links that were given to others and still open. */
export const sharedLinksQuery = () => read<SharedLinks>(['shared-links'], '/shared-tokens', {}, { staleTime: 0 });

/** Something that not every token may do. */
export type Right = keyof Session['may'];

const roleOf: Readonly<Record<Right, Role>> = {
  review: 'reviewer',
  run: 'runner',
  edit: 'editor',
  configure: 'owner',
};

/** Why this token may not do something; undefined where it may, or until that is known: the server checks in any case. */
export function useRefusal(right: Right): string | undefined {
  const { data } = useQuery(sessionQuery());
  if (data === undefined || data.may[right]) return undefined;
  return `Needs the role ${roleOf[right]}; your token has the role ${data.role}`;
}

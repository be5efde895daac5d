import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Link2 } from 'lucide-react';
import { useState } from 'react';
import type { Share, SharedToken } from '../../../../src/entry/server/api/access.ts';
import { sessionQuery, sharedLinksQuery } from '../../data/access.ts';
import { api } from '../../data/api.ts';
import { Button, buttonLook } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { When } from '../../kit/figures.tsx';
import { ErrorView, Remark } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useChange } from '../../kit/use-change.ts';
import { fullTimeText } from '../../kit/when-text.ts';
import type { Shared } from './share-button.tsx';

interface MadeLink {
  readonly address: string;
  /** Null where the link has no token. */
  readonly token: SharedToken | null;
  readonly isCopied: boolean;
}

/** Only owners can give access to others; the token of this browser is never in a link. */
async function makeLink(mayGiveAccess: boolean, days: string): Promise<MadeLink> {
  const share: Share = days === never ? {} : { days: Number(days) };
  const token = mayGiveAccess ? await api.post<SharedToken>('/shared-tokens', share) : null;
  const address = linkTo(location.href, token?.token);
  return { address, token, isCopied: await copied(address) };
}

const never = 'never';
const endings = [
  { value: '1', label: 'for a day' },
  { value: '7', label: 'for a week' },
  { value: '30', label: 'for 30 days' },
  { value: never, label: 'until it is ended' },
];

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS on other machines may not use the clipboard: the link is shown.
    return false;
  }
}

/** Two ways to give a page to others. */
export function ShareDialog({ what, fileUrl, onClose }: Shared & { readonly onClose: () => void }) {
  const { data: session } = useQuery(sessionQuery());
  const mayGiveAccess = session?.may.configure === true;
  const [days, setDays] = useState('30');
  const client = useQueryClient();
  const link = useMutation({
    mutationFn: () => makeLink(mayGiveAccess, days),
    onSuccess: () => client.invalidateQueries(sharedLinksQuery()),
  });
  return (
    <Dialog title={`Share this ${what}`} isOpen onClose={onClose}>
      <section aria-label="As a file" className="flex flex-col items-start gap-2">
        <p className="text-sm">
          One HTML page with the grid, the traces and the pictures. It opens from disk or from any web server.
        </p>
        <a href={fileUrl} download className={buttonLook('secondary')}>
          <Download size={14} aria-hidden />
          Download HTML
        </a>
      </section>
      <section aria-label="As a link" className="flex flex-col items-start gap-2">
        <p className="text-sm">
          {mayGiveAccess
            ? 'A link to this page with a new token that can read everything here and change nothing.'
            : 'A link to this page. To open it, your colleague needs a token.'}
        </p>
        {mayGiveAccess && <Select label="How long the link opens" options={endings} value={days} onChange={setDays} />}
        <Button
          icon={<Link2 size={14} aria-hidden />}
          isBusy={link.isPending}
          disabled={session === undefined}
          onClick={() => link.mutate()}
        >
          Copy link
        </Button>
        {link.error && <ErrorView error={link.error} />}
        {link.data && <LinkView link={link.data} />}
      </section>
      {mayGiveAccess && <GivenLinks />}
    </Dialog>
  );
}

/** Links that were given before, each of which can be ended. */
function GivenLinks() {
  const { data } = useQuery(sharedLinksQuery());
  const end = useChange({
    send: (name: string) => api.delete<null>(`/shared-tokens/${encodeURIComponent(name)}`),
    stale: [sharedLinksQuery().queryKey],
    message: 'The link no longer opens.',
  });
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-label="Links that open">
      <h3 className="text-sm font-medium">Links that open</h3>
      <ul className="max-h-40 divide-y divide-line overflow-y-auto text-sm">
        {data.items.map(({ name, createdAt, expiresAt }) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-2 py-1">
            <span className="min-w-0">
              <span className="font-mono text-xs break-all">{name}</span>
              <span className="block text-xs text-muted">
                made <When at={Date.parse(createdAt)} />, {endText(expiresAt)}
              </span>
            </span>
            <Button size="sm" aria-label={`End ${name}`} disabled={end.isPending} onClick={() => end.mutate(name)}>
              End
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function endText(expiresAt: string | null): string {
  return expiresAt === null ? 'does not expire' : `opens until ${fullTimeText(Date.parse(expiresAt))}`;
}

function LinkView({ link: { address, token, isCopied } }: { readonly link: MadeLink }) {
  return (
    <div role="status" className="flex w-full flex-col gap-2 text-sm">
      <p>{isCopied ? 'Copied.' : 'Copy it from here:'}</p>
      <TextInput
        aria-label="Link"
        readOnly
        value={address}
        onChange={() => undefined}
        onFocus={(event) => event.target.select()}
      />
      {token !== null && (
        <p className="text-muted">
          Its token is {token.name}; it {endText(token.expiresAt)}.
        </p>
      )}
      {isOnlyHere(location.hostname) && (
        <Remark tone="warn">
          This address works on this computer only. Start the server with <code className="font-mono">--host</code> for
          links that work elsewhere, or send the file.
        </Remark>
      )}
    </div>
  );
}

/** The address of a page for a colleague: with a token for them, and never with that of this browser. */
export function linkTo(address: string, token: string | undefined): string {
  const link = new URL(address);
  link.searchParams.delete('token');
  if (token !== undefined) link.searchParams.set('token', token);
  return link.href;
}

/** Whether other machines cannot reach a host by this name. */
export function isOnlyHere(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname);
}

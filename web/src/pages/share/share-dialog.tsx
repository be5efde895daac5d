import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Link2 } from 'lucide-react';
import type { SharedToken } from '../../../../src/entry/server/api/access.ts';
import { sessionQuery } from '../../data/access.ts';
import { api } from '../../data/api.ts';
import { Button, buttonLook } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ErrorView, Remark } from '../../kit/page.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import type { Shared } from './share-button.tsx';

interface MadeLink {
  readonly address: string;
  /** Name of its token; null where it has none. */
  readonly tokenName: string | null;
  readonly isCopied: boolean;
}

/** Only owners can give access to others; the token of this browser is never in a link. */
async function makeLink(mayGiveAccess: boolean): Promise<MadeLink> {
  const shared = mayGiveAccess ? await api.post<SharedToken>('/shared-tokens') : null;
  const address = linkTo(location.href, shared?.token);
  const isCopied = await copied(address);
  return { address, tokenName: shared?.name ?? null, isCopied };
}

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
  const link = useMutation({ mutationFn: () => makeLink(mayGiveAccess) });
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
    </Dialog>
  );
}

function LinkView({ link: { address, tokenName, isCopied } }: { readonly link: MadeLink }) {
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
      {tokenName !== null && (
        <p className="text-muted">
          Its token is {tokenName}. <code className="font-mono">assay token delete {tokenName}</code> ends it.
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

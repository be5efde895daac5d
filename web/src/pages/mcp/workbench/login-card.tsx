import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { WorkbenchSessionDetail } from '../../../../../src/entry/server/api/workbench.ts';
import { beginLogin, pasteLogin, workbenchSessionQuery } from '../../../data/workbench.ts';
import { buttonLook } from '../../../kit/button.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card, ErrorView, Remark } from '../../../kit/page.tsx';

/** Logs in to a server that requires it. */
export function LoginCard({ session }: { session: WorkbenchSessionDetail }) {
  const client = useQueryClient();
  const { state, page, message } = session.login;
  const beginning = useMutation({
    mutationFn: () => beginLogin(session.id),
    onSuccess: (begun) => client.setQueryData(workbenchSessionQuery(session.id).queryKey, begun),
  });
  if (state === 'not-needed' || state === 'logged-in') return null;
  return (
    <Card
      isColumn
      icon={KeyRound}
      title="The server requires a login"
      actions={
        state !== 'waiting' && (
          <GuardedButton
            needs="edit"
            variant="primary"
            size="sm"
            isBusy={beginning.isPending}
            onClick={() => beginning.mutate()}
          >
            Log in
          </GuardedButton>
        )
      }
    >
      {beginning.error && <ErrorView error={beginning.error} />}
      {state === 'failed' && message !== null && <Remark tone="warn">{message}</Remark>}
      {page === null ? (
        <p className="text-muted">The login is kept in the keyring of the machine that serves this page.</p>
      ) : (
        <LoginPage sessionId={session.id} page={page} />
      )}
    </Card>
  );
}

function LoginPage({ sessionId, page }: { sessionId: string; page: string }) {
  const [address, setAddress] = useState('');
  const pasting = useMutation({ mutationFn: () => pasteLogin(sessionId, address.trim()) });
  return (
    <>
      <p>
        Log in on the page of <strong>{new URL(page).host}</strong>; this page goes on by itself.
      </p>
      <a href={page} target="_blank" rel="noopener noreferrer" className={`${buttonLook('primary')} self-start`}>
        <ExternalLink size={14} aria-hidden /> Open the login page
      </a>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-60 flex-1">
          <Field label="Address that the browser ended at" hint="Only if it runs on another machine than Assay">
            <TextInput value={address} onChange={setAddress} />
          </Field>
        </div>
        <GuardedButton
          needs="edit"
          disabled={address.trim() === ''}
          isBusy={pasting.isPending}
          onClick={() => pasting.mutate()}
        >
          Use it
        </GuardedButton>
      </div>
      {pasting.error && <ErrorView error={pasting.error} />}
    </>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plug, PlugZap } from 'lucide-react';
import { useState } from 'react';
import type { OpenSession } from '../../../../../src/entry/server/api/workbench.ts';
import { openWorkbenchSession, workbenchSessionsQuery } from '../../../data/workbench.ts';
import { FormDialog } from '../../../kit/dialog.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { When } from '../../../kit/figures.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card } from '../../../kit/page.tsx';
import { useToast } from '../../../kit/toast.tsx';

/** Opens a session and goes to its page. */
function useConnect() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (wanted: OpenSession) => openWorkbenchSession(wanted),
    onSuccess: ({ id }) => navigate({ to: '/mcp/sessions/$session', params: { session: id } }),
  });
}

/** Connects to a server that a scenario file names. */
export function ConnectButton({ label, file }: { label: string; file: string }) {
  const connecting = useConnect();
  const { show } = useToast();
  const connect = (): void => connecting.mutate({ label, file }, { onError: (error) => show(error.message, 'bad') });
  return (
    <GuardedButton
      needs="run"
      size="sm"
      icon={<PlugZap size={13} aria-hidden />}
      isBusy={connecting.isPending}
      onClick={connect}
    >
      Connect
    </GuardedButton>
  );
}

/** Connects to a server that is typed. */
export function ConnectToButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <GuardedButton needs="edit" icon={<PlugZap size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        Connect to …
      </GuardedButton>
      {isOpen && <ConnectDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ConnectDialog({ onClose }: { onClose: () => void }) {
  const [address, setAddress] = useState('');
  const connecting = useConnect();
  const connect = (): void => connecting.mutate({ address: address.trim() });
  return (
    <FormDialog
      title="Connect to a server"
      submit="Connect"
      onSubmit={connect}
      onClose={onClose}
      sending={connecting}
      isReady={address.trim() !== ''}
    >
      <Field
        label="Command line or URL"
        hint="It starts in the folder of the project: node server.mjs, or https://…/mcp"
      >
        <TextInput value={address} onChange={setAddress} autoFocus />
      </Field>
    </FormDialog>
  );
}

/** Sessions that are open, of this browser and others. */
export function OpenSessions() {
  const { data } = useQuery(workbenchSessionsQuery());
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Card title="Open sessions" isFlush>
      <ul className="divide-y divide-line">
        {data.items.map(({ id, label, openedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 px-4 py-2">
            <Plug size={14} aria-hidden className="text-muted" />
            <Link
              to="/mcp/sessions/$session"
              params={{ session: id }}
              className="break-all text-accent hover:underline"
            >
              {label}
            </Link>
            <span className="text-xs text-muted">
              since <When at={openedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

import { Share2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../kit/button.tsx';

const loadDialog = () => import('./share-dialog.tsx');
const ShareDialog = lazy(async () => ({ default: (await loadDialog()).ShareDialog }));

export interface Shared {
  /** Such as "run". */
  readonly what: string;
  /** Address of the page as one HTML file. */
  readonly fileUrl: string;
}

/** Gives what a page shows to others, as a file or as a link. The dialog is loaded when one is about to press it. */
export function ShareButton(shared: Shared) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        icon={<Share2 size={14} aria-hidden />}
        aria-haspopup="dialog"
        onPointerEnter={() => void loadDialog()}
        onFocus={() => void loadDialog()}
        onClick={() => setIsOpen(true)}
      >
        Share
      </Button>
      <Suspense>{isOpen && <ShareDialog {...shared} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}

import { ChevronDown } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { Button, type ButtonSize, type ButtonVariant } from './button.tsx';
import { useLoadedState } from './use-loaded-state.ts';

interface MenuGroup {
  readonly label: string;
  readonly items: readonly {
    readonly key: string;
    readonly label: string;
    readonly description?: string;
    readonly onSelect: () => void;
  }[];
}

export interface MenuProps {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly groups: readonly MenuGroup[];
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
}

const loadOpenMenu = () => import('./open-menu.tsx');
const OpenMenu = lazy(async () => ({ default: (await loadOpenMenu()).OpenMenu }));

/** A button that opens a list of things to do, in groups. What opens is loaded when one is about to press it. */
export function Menu(props: MenuProps) {
  const [wasPressed, setWasPressed] = useLoadedState(false);
  const { label, icon, variant = 'secondary', size = 'md' } = props;
  const button = (
    <Button
      variant={variant}
      size={size}
      icon={icon}
      aria-haspopup="menu"
      aria-expanded={wasPressed}
      onPointerEnter={() => void loadOpenMenu()}
      onFocus={() => void loadOpenMenu()}
      onClick={() => setWasPressed(true)}
    >
      {label}
      <ChevronDown size={14} aria-hidden />
    </Button>
  );
  return <Suspense fallback={button}>{wasPressed ? <OpenMenu {...props} /> : button}</Suspense>;
}

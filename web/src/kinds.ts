import type { KindGroup } from '../../src/formats/export/kind-group.ts';
import './kinds.css';

/** A colour of the style sheet, light or dark as the page is. */
export const groupColour = (group: KindGroup): string => `var(--kind-${group})`;

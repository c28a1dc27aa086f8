import { takeFromAddress } from '@/lib/handedOver';

// The first import of the start: a credential in the address is gone before any other module looks at it.
takeFromAddress();

throw new Error('thrown while it is loaded');

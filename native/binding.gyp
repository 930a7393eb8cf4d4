{ "includes": ["addon.gypi"] }
